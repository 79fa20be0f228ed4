"""The record types of versions 1.0 to 2.1.325 with their top-level keys."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


KnownKeys = frozenset[str] | None
"""The keys that are known; None where a type is known by name only, so that any key may follow."""

ENVELOPE = names(
    "type uuid parentUuid logicalParentUuid sessionId session_id timestamp isSidechain agentId cwd gitBranch version"
    " userType slug entrypoint teamName agentName isTeammate sessionKind isMeta forkedFrom"
)
_STATE = names("type sessionId session_id timestamp agentId")

_CHAIN = {
    "user": names(
        "message toolUseResult sourceToolAssistantUUID sourceToolUseID promptId promptSource origin permissionMode"
        " thinkingMetadata todos planContent imagePasteIds mcpMeta isCompactSummary isVisibleInTranscriptOnly"
        " toolDenialKind interruptedMessageId interruptedByShutdown classifierMetaLines toolEndsTurn turnCompanion"
        " userFeedback queuePriority queueSkipAttachments projectPaths budgetTokens skills mcp turnOrigin turnPosition"
        " permissionDecision sandboxed classifierBoundary summarizedTurnPromptUuids summarizeMetadata refusedMessageId"
        " mcpCallNotReadOnly"
    ),
    "assistant": names(
        "message requestId effort perTurnEffort apiBlockIndex wireToolInputs advisorModel attributionAgent"
        " attributionSkill attributionPlugin attributionMcpServer attributionMcpTool isApiErrorMessage apiError error"
        " apiErrorStatus apiErrorType apiErrorIsTransient errorDetails isAbortedMidStream requestDuration requestRef"
        " requestedModel promptCacheRequested madeBy thinkingDurationMs thinkingDisplay toolInputStreamMs"
        " failedResponseHadNoToolCall resendCannotCure requestSessionId serverClassifierRequest"
    ),
    "system": names(
        "subtype content level toolUseID compactMetadata microcompactMetadata snipMetadata durationMs messageCount"
        " pendingBackgroundAgentCount pendingWorkflowCount hookCount hookInfos hookErrors hookAdditionalContext"
        " preventedContinuation stopReason hasOutput failedHookErrorIndexes error cause retryInMs retryAttempt"
        " maxRetries source url direction"
        " trigger originalModel fallbackModel requestId apiRefusalCategory apiRefusalExplanation"
        " refusedUserMessageUuid neutralizedByFork commandRun isDisplayOnly"
    ),
    "attachment": names("attachment rendered renderedRole renderedBesideToolResult renderedInHumanTurn"),
    "progress": names("data toolUseID parentToolUseID"),
    "saved_hook_context": names("content hookName hookEvent toolUseID"),
}

_STATES: dict[str, KnownKeys] = {
    "summary": names("summary leafUuid"),
    "ai-title": names("aiTitle"),
    "custom-title": names("customTitle"),
    "agent-name": names("agentName"),
    "agent-setting": names("agentSetting"),
    "agent-color": None,
    "tag": names("tag"),
    "last-prompt": names("lastPrompt leafUuid explicit"),
    "permission-mode": names("permissionMode"),
    "mode": names("mode"),
    "queue-operation": names("operation content reason commandUuid deliveryId"),
    "file-history-snapshot": names("messageId isSnapshotUpdate snapshot") | ENVELOPE,
    "file-history-delta": names("messageId snapshotMessageId trackingPath backup"),
    "pr-link": names("prNumber prUrl prRepository"),
    "frame-link": names("path frameUrl title artifactCount"),
    "atis-latch": names("atis"),
    "bridge-session": names("bridgeSessionId lastSequenceNum ownerAccountUuid ownerOrganizationUuid"),
    "worktree-state": names("worktreeSession"),
    "relocated": names("relocatedCwd"),
    "continued-in": names("continuedInSessionId"),
    "cost-state": names(
        "totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration totalLinesAdded"
        " totalLinesRemoved totalDuration startTime modelUsage hasUnknownModelCost"
    ),
    "tools-used": names("tools"),
    "api-request": names("id version querySource shapeHash params keep tail cacheControl requestDigest base"),
    "api-request-blob": names("hash message"),
    "api-request-shape": names("shapeHash version shape"),
    "content-replacement": names("replacements uuid"),
    "marble-origami-commit": None,
    "marble-origami-snapshot": None,
    "marble-origami-reset": None,
    "history-suppression": None,
    "artifact-autoreact-ledger": names("v artifacts accountUuid armed"),
    "artifact-comment-monitor": names("v artifacts accountUuid armed"),
    "isolation-latch": None,
    "attribution-snapshot": None,
    "fork-context-ref": None,
    "observer-ref": None,
    "ended-by-model": None,
    "task-summary": None,
    "speculation-accept": None,
    "turn_end": None,
    "checkpoint": None,
    "launched": None,
    "started": names("key label phase"),
    "result": names("key result"),
    "failed": None,
}

CHAIN_TYPES = frozenset(_CHAIN)

RECORD_KEYS: dict[str, KnownKeys] = {
    **{kind: keys | ENVELOPE for kind, keys in _CHAIN.items()},
    **{kind: None if keys is None else keys | _STATE for kind, keys in _STATES.items()},
}

SUBTYPES = names(
    "compact_boundary microcompact_boundary snip_boundary snip-boundary turn_duration stop_hook_summary api_error"
    " local_command away_summary informational bridge_status model_refusal_fallback scheduled_task_fire agents_killed"
)

METADATA_KEYS = {
    "compactMetadata": names(
        "trigger preTokens postTokens durationMs cumulativeDroppedTokens messagesSummarized preCompactDiscoveredTools"
        " preservedSegment preservedMessages runningTurnPrompt preCompactOrganizationsCoverStart"
    ),
    "microcompactMetadata": names("trigger preTokens tokensSaved compactedToolIds clearedAttachmentUUIDs"),
    "snipMetadata": names("removedUuids"),
}
"""What a system record says of a compaction: keys that decide what the model saw."""

PROGRESS_KEYS: dict[str, KnownKeys] = {
    "bash_progress": names("type output fullOutput elapsedTimeSeconds totalLines totalBytes taskId timeoutMs"),
    "hook_progress": names("type hookEvent hookName command statusMessage"),
    "agent_progress": names("type agentId prompt message normalizedMessages resume"),
    "mcp_progress": names("type status serverName toolName elapsedTimeMs"),
    "waiting_for_task": names("type taskDescription taskType"),
    "query_update": names("type query"),
    "search_results_received": names("type query resultCount"),
}
