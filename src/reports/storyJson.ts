import { jsonText } from "../kubernetes/meta/text/jsonText.ts"
import type { StoryReport } from "./storyReport.ts"

/** Changes when a field is removed or changes its meaning. */
const apiVersion = "charthouse.dev/v1"

/** Unknown values are null. */
export const storyJson = ({ version, ...report }: StoryReport): string => {
  const document = { apiVersion, kind: "ScenarioReport", charthouse: version, ...report }
  return `${jsonText(document)}\n`
}
