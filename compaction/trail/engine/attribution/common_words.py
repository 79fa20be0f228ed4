"""Words that say nothing about where a text comes from: function words, and words that all summaries use."""

from __future__ import annotations

from compaction.trail.engine.attribution.words import words_of

COMMON = frozenset(
    words_of(
        """
        a about above added adding after again against all also although always am an and any are aren as asked asks
        assistant at away back be because been before behind being below between both but by came can cannot changed
        changes conversation could couldn created creating current currently d did didn discovered do does doesn doing
        don done down during each either else ensure etc even ever every few first following for found from further
        get gets getting give given go goes going gone good got had hadn has hasn have haven having he her here hers
        him his how however i identified if in initial instead into is isn it its itself just keep kept know last let
        like ll looks made make makes making many may me message messages might mine more most much must my need
        needed needs never new next no none nor not noted nothing now of off ok okay old on once one only or other our
        ours out over own per please put quite rather re really request requested s said same say says second see seen
        session she should shouldn since so some something still successfully such summary sure t take taken task
        tasks than that the their them then there therefore these they thing things this those though through thus to
        together too toward two under until up upon us use used user users uses using ve very via want wanted wants
        was wasn way we well went were weren what when where whether which while who whole whom whose why will with
        within without won work worked working would wouldn yes yet you your yours
        """
    )
)
