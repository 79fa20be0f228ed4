"""Which words of a page are too faint: contrast below WCAG AA, as the browser computes the colours."""

from __future__ import annotations

from playwright.sync_api import Page

_FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const painted = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  // A page has thousands of words in a dozen colours, and to paint one takes long.
  const once = (make, known = new Map()) => (key) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key);
  };
  const channels = once(painted);
  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const light = (colour) => {
    const [red, green, blue] = colour.slice(0, 3).map((value) => value / 255)
      .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backdrop = once((element) => {
    if (!element) return { behind: [255, 255, 255, 1], opacity: 1 };
    const below = backdrop(element.parentElement);
    const style = getComputedStyle(element);
    const behind = over(channels(style.backgroundColor), below.behind);
    return { behind, opacity: below.opacity * parseFloat(style.opacity) };
  });
  const unseen = "svg, [hidden], [aria-hidden=true], dialog:not([open]), .sr-only, .skip, :disabled";
  const found = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const words = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!words || !element.checkVisibility({ visibilityProperty: true }) || element.closest(unseen)) continue;
    const { behind, opacity } = backdrop(element);
    const [red, green, blue, alpha] = channels(getComputedStyle(element).color);
    const ink = [red, green, blue, alpha * opacity];
    const [dark, bright] = [light(over(ink, behind)), light(behind)].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dark + 0.05);
    const size = parseFloat(getComputedStyle(element).fontSize);
    const needed = size >= 24 || (size >= 18.66 && parseInt(getComputedStyle(element).fontWeight) >= 700) ? 3 : 4.5;
    const name = `${element.tagName.toLowerCase()}.${element.className}`;
    if (ratio < needed) found[name] = `${ratio.toFixed(2)} ${words.slice(0, 40)}`;
  }
  return found;
}"""


def faint_words(page: Page) -> dict[str, str]:
    """The ratio and the first words, by element and class."""
    result: dict[str, str] = page.evaluate(_FAINT)
    return result
