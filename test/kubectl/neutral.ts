import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

/**
 * Writes a text of one run so that every run has the same: with times as if the world had begun with 2026, and with
 * names for what chance has named. Everything keeps its length, so that tables stay as they were printed.
 */
export type Neutral = (text: string) => string

interface NeutralOptions {
  readonly cluster: Pick<Cluster["Service"], "onChange">
  readonly startMillis: number
  /** Plain texts that are others in each run, and what stands for them. */
  readonly replaced: Readonly<Record<string, string>>
}

const shownStartMillis = Date.UTC(2026, 0, 1)

/** No time of a story, nor of kubectl's clock. */
const longAgoMillis = Date.UTC(2020, 0, 1)

/** What comes later than the story can has been read from kubectl's own clock. */
const storyMillisMax = 5 * 86_400_000

export const makeNeutral = ({ cluster, startMillis, replaced }: NeutralOptions): Neutral => {
  const tokens = new Map(Object.entries(replaced))
  const counts = new Map<string, number>()
  const next = (word: string, length: number): string => {
    const count = (counts.get(word) ?? 0) + 1
    counts.set(word, count)
    return `${word}${String(count).padStart(length - word.length, "0")}`
  }
  const meet = (object: KubeObject): void => {
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
  cluster.onChange(({ object }) => meet(object))

  const shiftMillis = shownStartMillis - startMillis
  const shifted = (text: string, write: (time: Date) => string): string => {
    const millis = Date.parse(text)
    if (millis < longAgoMillis) return text
    const isOurs = millis >= startMillis - 1000 && millis < startMillis + storyMillisMax
    return isOurs ? write(new Date(millis + shiftMillis)) : "<now>"
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
        // Events are named for their time; Pods that were refused have been named all the same.
        .replaceAll(/(\S\.)[0-9a-f]{16}\b/g, (_all, name: string) => `${name}0000000000000000`)
        .replaceAll(/(Error creating: pods "\S+-)[a-z0-9]{5}"/g, '$1p0000"')
        // kubectl's own log, with lines of its source.
        .replaceAll(/^! [IWE]\d{4} [\d:.]+ +\d+ .*\n?/gm, "")
        // Files that it makes for an editor and for diff.
        .replaceAll(/\b(kubectl-edit-)\d+/g, (_all, name: string) => `${name}0`)
        .replaceAll(/\b(LIVE|MERGED)-\d+/g, "$1-0")
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/g, "<now>")
    )
  }
}
