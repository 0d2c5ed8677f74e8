import type { StoryReport } from "./storyReport.ts"

/** The shape of what follows: a number that changes when a field goes or means something else. */
const apiVersion = "charthouse.dev/v1"

/**
 * A report for programs: `runs` has a line for every seed, `shown` the whole of some (`StoryRun`, as the library gives
 * it). What is unknown is null.
 */
export const storyJson = ({ version, ...report }: StoryReport): string => {
  const document = { apiVersion, kind: "ScenarioReport", charthouse: version, ...report }
  const nullFor = (_key: string, value: unknown): unknown => (value === undefined ? null : value)
  return `${JSON.stringify(document, nullFor, 2)}\n`
}
