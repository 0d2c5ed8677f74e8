import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

/**
 * Makes the output of every run equal: shifts times to a cluster that starts with 2026, and replaces random names by
 * others of the same length, so that tables keep their layout.
 */
export type Normalize = (text: string) => string

interface NormalizeOptions {
  readonly cluster: Pick<Cluster["Service"], "onChange">
  readonly startMillis: number
  /** Replacements for texts that differ from run to run. */
  readonly replaced: Readonly<Record<string, string>>
}

const shownStartMillis = Date.UTC(2026, 0, 1)

/** Earlier than any time of a story or of kubectl's clock. */
const longAgoMillis = Date.UTC(2020, 0, 1)

/** Later times are from kubectl's own clock. */
const storyMillisMax = 5 * 86_400_000

export const makeNormalize = ({ cluster, startMillis, replaced }: NormalizeOptions): Normalize => {
  const tokens = new Map(Object.entries(replaced))
  const counts = new Map<string, number>()
  const next = (word: string, length: number): string => {
    const count = (counts.get(word) ?? 0) + 1
    counts.set(word, count)
    return `${word}${String(count).padStart(length - word.length, "0")}`
  }
  const addTokens = (object: KubeObject): void => {
    const { kind, metadata } = object
    if (tokens.has(metadata.uid)) return
    tokens.set(metadata.uid, next("uid-", metadata.uid.length))
    const { generateName, name } = metadata
    if (generateName !== undefined) {
      const suffix = name.slice(generateName.length)
      tokens.set(`-${suffix}`, `-${next(kind.slice(0, 1).toLowerCase(), suffix.length)}`)
    }
    if (kind === "ReplicaSet" && JSON.stringify(object).includes("restartedAt")) {
      const hash = metadata.labels?.[templateHashLabel] ?? ""
      tokens.set(hash, next("again", hash.length))
    }
  }
  cluster.onChange(({ object }) => addTokens(object))

  const shiftMillis = shownStartMillis - startMillis
  const shifted = (text: string, write: (time: Date) => string): string => {
    const millis = Date.parse(text)
    if (millis < longAgoMillis) return text
    const isClusterTime = millis >= startMillis - 1000 && millis < startMillis + storyMillisMax
    return isClusterTime ? write(new Date(millis + shiftMillis)) : "<now>"
  }
  return (text) => {
    let shown = text
    for (const [from, to] of tokens) shown = shown.replaceAll(from, to)
    return (
      shown
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) =>
          shifted(time, (date) =>
            time.includes(".") ? date.toISOString() : `${date.toISOString().slice(0, 19)}Z`
          )
        )
        .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000/g, (time) =>
          shifted(time, (date) => date.toUTCString().replace("GMT", "+0000"))
        )
        .replaceAll(/(resourceVersion"?: ?)"\d+"/g, '$1"<version>"')
        .replaceAll(/(Expected resource version to be \d+, was )\d+/g, "$1<version>")
        .replaceAll(/(Resource Version: +)\d+/g, "$1<version>")
        .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uid>")
        .replaceAll(/\b(containerd:\/\/)[0-9a-f]+/g, "$1<id>")
        // Names of events contain their time; refused Pods have random names too.
        .replaceAll(/(\S\.)[0-9a-f]{16}\b/g, (_all, name: string) => `${name}0000000000000000`)
        .replaceAll(/(Error creating: pods "\S+-)[a-z0-9]{5}"/g, '$1p0000"')
        // kubectl's log, with line numbers of its source.
        .replaceAll(/^! [IWE]\d{4} [\d:.]+ +\d+ .*\n?/gm, "")
        // kubectl's temporary files for editors and diff.
        .replaceAll(/\b(kubectl-edit-)\d+/g, (_all, name: string) => `${name}0`)
        .replaceAll(/\b(LIVE|MERGED)-\d+/g, "$1-0")
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/g, "<now>")
    )
  }
}
