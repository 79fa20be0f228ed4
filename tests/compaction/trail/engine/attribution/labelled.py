"""A conversation and a summary of it, written by hand, with the messages that each sentence of the summary comes from.

A line of the summary is a sentence; behind `<<` stand the names of its sources, and nothing if there are none.
"""

from __future__ import annotations

from sessions.transcripts.engine.messages import Message
from tests.sessions.transcripts.engine.talk import answered, call, returned, typed


def called(name: str, text: str, tool: str, **given: str) -> Message:
    return answered(text, call(name, tool, **given), id=name)


TIMETABLE = """
from datetime import date, timedelta

class Timetable:
    def __init__(self, route, season):
        self.route = route
        self.season = season

    def departures(self, day: date) -> list[Departure]:
        holidays = self.calendar.holidays(day.year)
        if day in holidays:
            return self._sunday_service(day)
        return [d for d in self.season.rows if d.weekday == day.weekday()]

    def _sunday_service(self, day):
        return [d for d in self.season.rows if d.weekday == 6]
"""
CALENDAR = """
class HarbourCalendar:
    def holidays(self, year):
        return {date(year, 1, 1), date(year, 12, 25)}

    def easter(self, year):
        raise NotImplementedError
"""
FAILURE = """
FAILED tests/test_timetable.py::test_good_friday_has_sunday_service - NotImplementedError
FAILED tests/test_fares.py::test_return_ticket_is_cheaper - AssertionError: 1180 != 1160
2 failed, 41 passed in 3.02s
"""

NAMED: dict[str, Message] = {
    "ask": typed("Good Friday shows the weekday ferries. It should run the Sunday service, like other holidays."),
    "look": called("look", "I'll start with the timetable.", "Read", file_path="/srv/ferry/ferry/timetable.py"),
    "looked": returned(("look", TIMETABLE)),
    "calendar": called("calendar", "", "Read", file_path="/srv/ferry/ferry/calendar.py"),
    "calendared": returned(("calendar", CALENDAR)),
    "why": answered(
        "`holidays()` knows only fixed dates, so movable feasts such as Good Friday are treated as weekdays."
    ),
    "tests": called("tests", "", "Bash", command="python -m pytest -q tests", description="Run the tests"),
    "tested": returned(("tests", FAILURE)),
    "two": answered("Two tests fail: the Good Friday one that you describe, and a fare that is off by twenty pence."),
    "fares": typed("leave the fare alone for now, that's Maren's branch"),
    "fine": answered("Understood, I will not touch the fares."),
    "algorithm": answered("I'll use the anonymous Gregorian algorithm (Meeus/Jones/Butcher) for the date of Easter."),
    "edit": called(
        "edit",
        "",
        "Edit",
        file_path="/srv/ferry/ferry/calendar.py",
        old_string="        raise NotImplementedError",
        new_string="        a, b, c = year % 19, year // 100, year % 100\n        return date(year, month, day + 1)",
    ),
    "edited": returned(("edit", "The file /srv/ferry/ferry/calendar.py has been updated successfully.")),
    "movable": called(
        "movable",
        "",
        "Edit",
        file_path="/srv/ferry/ferry/calendar.py",
        old_string="        return {date(year, 1, 1), date(year, 12, 25)}",
        new_string="        easter = self.easter(year)\n"
        "        movable = {easter - timedelta(days=2), easter + timedelta(days=1)}\n"
        "        return {date(year, 1, 1), date(year, 12, 25)} | movable",
    ),
    "moved": returned(("movable", "The file /srv/ferry/ferry/calendar.py has been updated successfully.")),
    "again": called(
        "again", "", "Bash", command="python -m pytest -q tests/test_timetable.py", description="Run them again"
    ),
    "timedelta": returned(
        ("again", "NameError: name 'timedelta' is not defined\nferry/calendar.py:4\n1 failed, 12 passed")
    ),
    "import": called(
        "import",
        "The import is missing.",
        "Edit",
        file_path="/srv/ferry/ferry/calendar.py",
        old_string="from datetime import date",
        new_string="from datetime import date, timedelta",
    ),
    "imported": returned(("import", "The file /srv/ferry/ferry/calendar.py has been updated successfully.")),
    "third": called(
        "third", "", "Bash", command="python -m pytest -q tests/test_timetable.py", description="And again"
    ),
    "green": returned(("third", "13 passed in 0.41s")),
    "done": answered("All thirteen timetable tests pass now. The fare test still fails, as agreed."),
    "whit": typed("Does Whit Monday count too? The harbour office closes then."),
    "whitsun": answered("Not yet. Whit Monday is fifty days after Easter; shall I add it?"),
    "yes": typed("yes, and print the reason in the API: reason='public holiday'"),
    "whitedit": called(
        "whitedit",
        "",
        "Edit",
        file_path="/srv/ferry/ferry/calendar.py",
        old_string="easter + timedelta(days=1)}",
        new_string="easter + timedelta(days=1), easter + timedelta(days=50)}",
    ),
    "whited": returned(("whitedit", "The file /srv/ferry/ferry/calendar.py has been updated successfully.")),
    "api": called("api", "Now the API.", "Grep", pattern="def departures_view", path="/srv/ferry/ferry/api"),
    "apis": returned(("api", "ferry/api/departures.py:31:def departures_view(request, route_slug):")),
    "payload": called(
        "payload",
        "",
        "Edit",
        file_path="/srv/ferry/ferry/api/departures.py",
        old_string="    return JsonResponse(rows)",
        new_string="    payload = {'rows': rows, 'reason': 'public holiday' if is_holiday else None}\n"
        "    return JsonResponse(payload)",
    ),
    "refused": returned(("payload", "String to replace not found in file. String: return JsonResponse(rows)")),
    "read": called(
        "read", "The call is written differently there.", "Read", file_path="/srv/ferry/ferry/api/departures.py"
    ),
    "reading": returned(
        ("read", "31 def departures_view(request, route_slug):\n40     return JsonResponse(rows, safe=False)")
    ),
    "mobile": typed("careful, the kiosk app on quay 4 reads that endpoint and expects a bare list"),
    "header": answered("Then I will send the reason in an `X-Service-Reason` header and leave the list as it is."),
    "headers": called(
        "headers",
        "",
        "Edit",
        file_path="/srv/ferry/ferry/api/departures.py",
        old_string="    return JsonResponse(rows, safe=False)",
        new_string="    response = JsonResponse(rows, safe=False)\n"
        "    response['X-Service-Reason'] = 'public holiday'\n"
        "    return response",
    ),
    "headered": returned(("headers", "The file /srv/ferry/ferry/api/departures.py has been updated successfully.")),
    "next": answered("Next I would add a test that the kiosk still gets a bare list."),
    "go": typed("go ahead"),
}
MESSAGES = list(NAMED.values())

LABELLED = """
1. Primary Request and Intent:
   - Good Friday must run the Sunday service instead of the weekday ferries. << ask
   - Whit Monday should count as a holiday as well, because the harbour office is closed. << whit whitsun whitedit
   - The API has to give the reason `public holiday`. << yes payload headers
   - Accessibility was a concern throughout. <<

2. Key Technical Concepts:
   - Date of Easter by the anonymous Gregorian algorithm (Meeus/Jones/Butcher) << algorithm
   - Movable feasts as offsets from Easter << why movable whitedit
   - Clean architecture and careful engineering <<

3. Files and Code Sections:
   - ferry/calendar.py << calendar calendared edit edited movable moved import imported whitedit whited timedelta
     - `easter()` now computes the date instead of raising NotImplementedError << calendared edit
     - `holidays()` adds Good Friday and Easter Monday to the fixed dates << calendared why movable
     - `timedelta` had to be imported << timedelta import
   - ferry/api/departures.py << apis payload read reading headers headered
     - `departures_view` answers with a bare list and an `X-Service-Reason` header << apis reading mobile header headers
   - ferry/timetable.py << look looked
     - `_sunday_service` was read and not changed << looked

4. Errors and Fixes:
   - NameError: name 'timedelta' is not defined: the import was added << timedelta import
   - "String to replace not found in file": the file was read again: `safe=False` << refused reading headers
   - A race in the scheduler was fixed with a lock. <<

5. Problem Solving:
   Holidays with fixed dates were known, movable ones were treated as weekdays. << why
   The fare test that is off by twenty pence was left failing, as agreed. << two fares fine done
   Everything was considered in depth. <<

6. All User Messages:
   - "Good Friday shows the weekday ferries. It should run the Sunday service, like other holidays." << ask
   - "leave the fare alone for now, that's Maren's branch" << fares
   - "Does Whit Monday count too? The harbour office closes then." << whit
   - "yes, and print the reason in the API: reason='public holiday'" << yes
   - "careful, the kiosk app on quay 4 reads that endpoint and expects a bare list" << mobile
   - "go ahead" << go
   - "please also rewrite the scheduler in Rust" <<

7. Pending Tasks:
   - A test that the kiosk still gets a bare list << next mobile
   - Update the printed brochure <<

8. Current Work:
   The reason was moved into the header, because the kiosk app on quay 4 expects a bare list. << mobile header headers
   All thirteen tests of the timetable pass (`python -m pytest -q tests/test_timetable.py`). << again third green done

9. Optional Next Step:
   Add the test for the kiosk; the user said "go ahead". << go next
"""

_LINES = [line for line in LABELLED.splitlines() if "<<" in line]
SUMMARY = "\n".join(line.partition("<<")[0].rstrip() for line in LABELLED.splitlines())
SOURCES = [frozenset(NAMED[name].uuid for name in line.partition("<<")[2].split()) for line in _LINES]
"""Of each sentence, in their order."""
NAMES = {message.uuid: name for name, message in NAMED.items()}
