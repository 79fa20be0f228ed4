/* The few things that links cannot do: the theme, dialogs, keys, and keeping one's place. Pages work without it. */
(() => {
  "use strict";

  const root = document.documentElement;
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  /* Theme: the cookie is what the server renders; localStorage outlives a cleared cookie. */
  const THEMES = ["system", "light", "dark"];
  const SIGNS = { system: "◐", light: "☀", dark: "☾" };

  function storedTheme() {
    const stored = localStorage.getItem("theme");
    return THEMES.includes(stored) ? stored : root.dataset.theme || "system";
  }

  function showTheme(theme) {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const button of all("[data-theme-toggle]")) {
      button.textContent = SIGNS[theme];
      button.title = `Theme: ${theme}`;
      button.setAttribute("aria-label", `Theme: ${theme}`);
    }
  }

  function useTheme(theme) {
    localStorage.setItem("theme", theme);
    document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax`;
    showTheme(theme);
  }

  function nextTheme() {
    useTheme(THEMES[(THEMES.indexOf(storedTheme()) + 1) % THEMES.length]);
  }

  /* Dialogs */
  function openDialog(id) {
    const dialog = document.getElementById(id);
    if (!dialog || dialog.open) return;
    dialog.showModal();
    const input = find("input", dialog);
    if (input) {
      input.select();
      htmx.trigger(input, "opened");
    }
  }

  /* Palette: arrows choose, Enter goes. */
  function choose(step) {
    const options = all("#palette-results [role=option]");
    if (!options.length) return;
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    const next = options[(Math.max(at, step < 0 ? 0 : -1) + step + options.length) % options.length];
    options.forEach((option) => option.setAttribute("aria-selected", String(option === next)));
    next.scrollIntoView({ block: "nearest" });
  }

  function onPaletteKey(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      const chosen = find("#palette-results [aria-selected=true]") || find("#palette-results [role=option]");
      if (!chosen) return;
      chosen.click();
    } else return;
    event.preventDefault();
  }

  /* Moving through entries, turns and boundaries. What is current carries the class of that name. */
  const ITEMS = ".card[id^=e], .item";

  function below(element, line) {
    return element.getBoundingClientRect().top > line + 1;
  }

  function step(selector, forward) {
    const line = parseFloat(getComputedStyle(root).scrollPaddingTop) || 0;
    const elements = all(selector).filter((element) => element.getClientRects().length);
    const current = find(".current");
    const from = current && current.matches(selector) ? elements.indexOf(current) : -1;
    let next;
    if (from >= 0) next = elements[from + (forward ? 1 : -1)];
    else if (forward) next = elements.find((element) => below(element, line - 4));
    else next = elements.filter((element) => element.getBoundingClientRect().top < line - 4).pop();
    if (next) makeCurrent(next);
    return Boolean(next);
  }

  function makeCurrent(element) {
    all(".current").forEach((other) => other.classList.remove("current"));
    element.classList.add("current");
    document.activeElement?.blur();
    element.scrollIntoView({ block: element.matches("tr, li") ? "nearest" : "start" });
  }

  function openCurrent() {
    const link = find(".current a.at") || find(".current a.what") || find(".current a[href]");
    if (link) link.click();
  }

  const KEYS = {
    "?": () => openDialog("help"),
    "/": () => search(find("[data-find]") ?? find("#find")),
    j: () => step(ITEMS, true) || reveal(".later"),
    k: () => step(ITEMS, false) || reveal(".earlier"),
    n: () => step(".turn", true) || reveal(".later"),
    p: () => step(".turn", false) || reveal(".earlier"),
    "]": () => follow("]") || step(".bar", true) || leap(true),
    "[": () => follow("[") || step(".bar", false) || leap(false),
    g: () => follow("g") || scrollTo({ top: 0 }),
    G: () => follow("G") || scrollTo({ top: document.body.scrollHeight }),
  };

  function search(input) {
    input.focus();
    input.select();
  }

  /* Entries that are not here yet come when their link is seen. */
  function reveal(selector) {
    find(selector)?.scrollIntoView({ block: "center" });
  }

  /* To the nearest compaction outside of what is loaded: the timeline has the positions of all. */
  function leap(forward) {
    const loaded = all(".card[id^=e]").map((card) => parseInt(card.id.slice(1), 10));
    const boundaries = (find("#timeline")?.dataset.boundaries ?? "").split(" ").filter(Boolean).map(Number);
    const beyond = forward
      ? boundaries.find((position) => position > Math.max(...loaded))
      : boundaries.findLast((position) => position < Math.min(...loaded));
    if (beyond === undefined) return;
    const address = new URL(location.href);
    for (const name of ["from", "before"]) address.searchParams.delete(name);
    address.searchParams.set("at", beyond);
    address.hash = `e${beyond}`;
    location.assign(address);
  }

  /* What lies outside of this window has a link, and the link has its key: data-key="g" is the start of a session.
     A page that has a place for the key but no link is at its end. */
  function follow(key) {
    const link = find(`[data-key="${key}"]`);
    if (link?.href) link.click();
    return Boolean(link);
  }

  function onKey(event) {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openDialog("palette");
      return;
    }
    if (event.target.closest("#palette")) return onPaletteKey(event);
    if (event.target.matches("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || find("dialog[open]")) return;
    if (event.key === "Enter") {
      if (event.target === document.body || event.target.id === "main") openCurrent();
    } else if (Object.hasOwn(KEYS, event.key)) {
      event.preventDefault();
      KEYS[event.key]();
    }
  }

  /* A filter over a list that is already here. */
  function onFilter(input) {
    const words = input.value.toLowerCase();
    for (const item of all("li", find(input.dataset.filter))) {
      item.hidden = !`${item.textContent} ${find("a", item).title}`.toLowerCase().includes(words);
    }
  }

  /* An address says what was asked for, not what was left open. */
  function dropEmpty(event) {
    const { verb, parameters, elt } = event.detail;
    if (verb !== "get" || elt.closest("[data-keep-empty]")) return;
    for (const name of Object.keys(parameters)) if (parameters[name] === "") delete parameters[name];
  }

  /* An hx-get that is only a query asks the address of its own link for a part of what is there. */
  function askOwnAddress(event) {
    const { elt, path } = event.detail;
    if (elt.href && path.startsWith("?")) event.detail.path = new URL(path, elt.href).href;
  }

  /* What one reads stays where it is when entries are put in above it. */
  let anchor = null;

  function firstVisible() {
    const line = parseFloat(getComputedStyle(root).scrollPaddingTop) || 0;
    return all(".card[id^=e]").find((card) => card.getBoundingClientRect().bottom > line);
  }

  function beforeSwap(event) {
    const target = event.detail.target;
    anchor = null;
    if (!target || !target.closest("#timeline")) return;
    const card = firstVisible();
    if (card) anchor = { id: card.id, top: card.getBoundingClientRect().top };
  }

  /* Between the swap and the next paint, so that nothing is seen to jump. */
  function afterSwap() {
    if (!anchor) return;
    const card = document.getElementById(anchor.id);
    if (card) scrollBy({ top: card.getBoundingClientRect().top - anchor.top, behavior: "instant" });
    anchor = null;
  }

  /* The panel shows an entry: mark its card, and open the panel where it is folded away. */
  function showPanel(event) {
    if (event.target.id !== "panel") return;
    all(".current").forEach((other) => other.classList.remove("current"));
    event.detail.requestConfig.elt.closest(".card")?.classList.add("current");
    if (matchMedia("(max-width: 1099px)").matches) find("#panel").showPopover();
  }

  /* With a key held down, a link does what the browser does with links. */
  function leaveToBrowser(event) {
    const held = event.ctrlKey || event.metaKey || event.shiftKey;
    if (held && event.target.closest("a[hx-get]")) event.stopPropagation();
  }

  /* What lies under the pointer on the ruler, at once and in its caption. */
  function readRuler(event) {
    const output = find("#ruler output");
    if (output) output.textContent = event.target.closest("#ruler a")?.textContent.trim() || "";
  }

  /* The ruler's mark: #ruler has a viewBox and data-entries; its [data-at] moves along the longer side. */
  const visible = new Set();
  const observer = new IntersectionObserver((changes) => {
    for (const change of changes) {
      if (change.isIntersecting) visible.add(change.target);
      else visible.delete(change.target);
    }
    moveMark();
  });
  const watched = new WeakSet();

  function watchCards() {
    if (!find("#ruler [data-at]")) return;
    for (const card of all(".card[id^=e]")) {
      if (watched.has(card)) continue;
      watched.add(card);
      observer.observe(card);
    }
  }

  /* htmx tells of every new element; one look at them all is enough. */
  let watching = 0;

  function watchSoon() {
    cancelAnimationFrame(watching);
    watching = requestAnimationFrame(() => {
      watchCards();
      moveMark();
    });
  }

  function moveMark() {
    const ruler = find("#ruler");
    const mark = find("#ruler [data-at]");
    const positions = [...visible].filter((card) => card.isConnected).map((card) => parseInt(card.id.slice(1), 10));
    if (!mark || !positions.length) return;
    const at = Math.min(...positions);
    const svg = mark.ownerSVGElement;
    const share = at / Math.max(1, Number(ruler.dataset.entries) - 1);
    const { width, height } = svg.viewBox.baseVal;
    mark.dataset.at = String(at);
    const place = width >= height ? `${share * width} 0` : `0 ${share * height}`;
    mark.setAttribute("transform", `translate(${place})`);
  }

  /* Toasts */
  function toast(sentence) {
    const box = document.createElement("div");
    box.className = "toast is-error";
    box.textContent = sentence;
    find("#toasts").replaceChildren(box);
    setTimeout(() => box.remove(), 8000);
  }

  function showScripted() {
    all(".with-js").forEach((element) => (element.hidden = false));
  }

  /* Copies what an element says, and says so in its own place. */
  async function copy(button) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    const said = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = said), 2000);
  }

  /* In a narrow window tabs scroll sideways: the current one comes into view, and the page stays where it is. */
  function showCurrentTab() {
    for (const tab of all(".tabs [aria-current]")) {
      const tabs = tab.closest(".tabs");
      tabs.scrollLeft += Math.max(0, tab.getBoundingClientRect().right - tabs.getBoundingClientRect().right);
    }
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("click", leaveToBrowser, true);
  document.addEventListener("pointerover", readRuler);
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open]");
    if (opener) openDialog(opener.dataset.open);
    else if (event.target.closest("[data-theme-toggle]")) nextTheme();
    else if (event.target.closest("[data-copy]")) copy(event.target.closest("[data-copy]"));
    else if (event.target.matches("dialog[open]")) event.target.close();
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-filter]")) onFilter(event.target);
  });
  document.addEventListener("htmx:configRequest", dropEmpty);
  document.addEventListener("htmx:configRequest", askOwnAddress);
  document.addEventListener("htmx:beforeSwap", beforeSwap);
  document.addEventListener("htmx:afterSwap", afterSwap);
  document.addEventListener("htmx:afterSettle", watchSoon);
  document.addEventListener("htmx:afterSettle", showPanel);
  document.addEventListener("htmx:afterSettle", showScripted);
  document.addEventListener("htmx:sendError", () => toast("Lucid did not answer. Is it still running?"));
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr } = event.detail;
    const said = xhr.getResponseHeader("Lucid-Says");
    toast(said || `Lucid answered with an error (${xhr.status}). Reload the page to see what it says.`);
  });

  showScripted();
  showCurrentTab();
  useTheme(storedTheme());
  watchCards();
})();
