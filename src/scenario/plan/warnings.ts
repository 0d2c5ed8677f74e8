import { autoscalerWarnings } from "./autoscalers.ts"
import { takenSources } from "./podSources.ts"
import { unmadePods } from "./unmadePods.ts"
import { unplayed } from "./unplayed.ts"
import type { Draft } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { PlanWorld, SeedRun } from "./planRun.ts"

/** What must be known of a plan before it is believed, a sentence each: what is known before anything is played. */
export const warningsOf = ({
  from = [],
  next,
  running,
  warnings = []
}: Pick<PlanWorld, "from" | "next" | "running" | "warnings">): ReadonlyArray<string> => [
  ...warnings,
  // Of a cluster all of this is read from itself.
  ...(running === undefined ? ofFiles(from, next) : []),
  ...unplayed(next),
  ...takenSources(next, { from, running })
]

/** What is known of it once it was played: where it leads is the same with every seed. */
export const warningsIn = ([first]: ReadonlyArray<SeedRun>): ReadonlyArray<string> =>
  [...(first?.rollouts.values() ?? [])].flatMap(({ warnings }) => warnings)

const ofFiles = (
  from: ReadonlyArray<ManifestDocument>,
  next: ReadonlyArray<ManifestDocument>
): ReadonlyArray<string> => [
  ...unmadePods([...from, ...next]),
  ...autoscalerWarnings({ before: from.map(draftOf), next: next.map(draftOf), isLive: false })
]

const draftOf = ({ draft }: ManifestDocument): Draft => draft
