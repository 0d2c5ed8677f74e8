import { makeChangeLog } from "../../../src/store/durable/changeLog.ts"
import { toChangeRow } from "../../../src/store/durable/changeRows.ts"
import type { ChangeDatabase } from "../../../src/store/durable/changeDatabase.ts"
import type { ChangeLog, NewChange } from "../../../src/store/durable/changeLog.ts"

export const change = (version: number, options: Partial<NewChange<string>> = {}): NewChange<string> => ({
  type: "MODIFIED",
  version,
  millis: version,
  resource: "pods",
  key: `default/web-${version % 3}`,
  object: JSON.stringify({ version, filler: "x".repeat(2000) }),
  ...options
})

export const logOf = (
  database: ChangeDatabase,
  options: Partial<Parameters<typeof makeChangeLog<string>>[0]> = {}
) =>
  makeChangeLog({
    database,
    writeObject: (text: string, write) => write(text),
    stored: Array.from(database.changes(), toChangeRow),
    oldestVersion: () => 0,
    historyMillis: Number.POSITIVE_INFINITY,
    historyChangesMax: Number.POSITIVE_INFINITY,
    nowMillis: () => 0,
    speed: () => 0,
    version: 0,
    ...options
  })

export const compact = (log: Pick<ChangeLog<string>, "compactStep">): void => {
  while (log.compactStep());
}

export const versionsIn = (database: ChangeDatabase): ReadonlyArray<number> =>
  Array.from(database.changes(), ({ version }) => version)
