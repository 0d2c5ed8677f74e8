import { countByText } from "./countByText.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

/**
 * Events are similar if they differ only in names of Pods, nodes and namespaces.
 */
export const countSimilarEvents = (
  events: ReadonlyArray<NormalizedEvent>,
  workloadName: string
): ReadonlyArray<object> => {
  const texts = events.map(({ type, reason, message }) => {
    const messageWithoutNames = withoutCombinedPrefix(message)
      .replaceAll(new RegExp(`\\b${workloadName}-[a-z0-9]{5}\\b`, "g"), `${workloadName}-{pod}`)
      .replace("default/", "{namespace}/")
      .replace(/ on node n-\d+/, " on node {node}")
    return JSON.stringify([type, reason, messageWithoutNames])
  })
  return Object.entries(countByText(texts))
    .map(([text, times]) => {
      const [type, reason, message] = JSON.parse(text)
      return { type, reason, message, times }
    })
    .sort((a, b) => compareText(a.reason, b.reason) || compareText(a.message, b.message))
}

/** The recorded controller manager did not combine similar Events. */
export const withoutCombinedPrefix = (message: string): string =>
  message.replace(/^\(combined from similar events\): /, "")

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
