import { autoscalerWarnings } from "./autoscalers.ts"
import { assumedSourceWarnings } from "./podSources.ts"
import { unplayedKindWarnings } from "./unmadePods.ts"
import { unplayedFieldWarnings } from "./unplayed.ts"
import type { Draft } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { PlanWorld, SeedRun } from "./planRun.ts"

/** Limits of a plan that are known before it is played, one sentence each. */
export const manifestWarnings = ({
  from = [],
  next,
  running,
  warnings = []
}: Pick<PlanWorld, "from" | "next" | "running" | "warnings">): ReadonlyArray<string> => [
  ...warnings,
  // For a cluster, these are found while reading it.
  ...(running === undefined ? fileWarnings(from, next) : []),
  ...unplayedFieldWarnings(next),
  ...assumedSourceWarnings(next, { from, running })
]

/** Warnings found by playing: the same with every seed. */
export const playedWarnings = ([first]: ReadonlyArray<SeedRun>): ReadonlyArray<string> =>
  [...(first?.rollouts.values() ?? [])].flatMap(({ warnings }) => warnings)

const fileWarnings = (
  from: ReadonlyArray<ManifestDocument>,
  next: ReadonlyArray<ManifestDocument>
): ReadonlyArray<string> => [
  ...unplayedKindWarnings([...from, ...next]),
  ...autoscalerWarnings({ before: from.map(draftOf), next: next.map(draftOf), isLive: false })
]

const draftOf = ({ draft }: ManifestDocument): Draft => draft
