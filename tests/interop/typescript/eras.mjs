// The one list of differences that a later protocol revision demands of the same answer (contract F2).

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const RESOURCE_NOT_FOUND = { '-32002': -32602 }; // up to 2025-11-25: since 2026-07-28
const REQUIRED = ['resultType', 'ttlMs', 'cacheScope'];

// An answer of either era without what only 2026-07-28 adds; everything else must be equal.
export function withoutEra(answer) {
  if (answer?.error) {
    const code = RESOURCE_NOT_FOUND[answer.error.code] ?? answer.error.code;
    return { error: { ...answer.error, code } };
  }
  if (!answer?.result) return answer;
  const { resultType, ttlMs, cacheScope, _meta, ...result } = answer.result;
  const { [SERVER_INFO]: serverInfo, ...meta } = _meta ?? {};
  return { result: { ...result, ...(Object.keys(meta).length && { _meta: meta }) } };
}

// A list without the tools that run as a task only: a client of 2026-07-28 that declares no tasks has none (T1).
export function withoutTasks({ result }) {
  const tools = result.tools.filter(({ execution }) => execution?.taskSupport !== 'required');
  return { result: { ...result, tools } };
}

// What 2026-07-28 requires of an answer to a list or a read and this one lacks.
export const missingOfEra = (answer) => REQUIRED.filter((key) => !(key in (answer.result ?? {})));
