import { annotationWarnings } from "../../steering/annotationWarnings.ts"
import { manifestStrategy } from "../../steering/decodeStrategy.ts"
import { strategyAnnotation } from "../../kubernetes/steering/steeringNames.ts"
import { withBuiltInSteering } from "../../../machines/steering/steeringStrategies.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { apiWarnings } from "./apiWarnings.ts"
import { autoscalerWarnings } from "./autoscalerWarnings.ts"
import { mismatchWarnings } from "./mismatchWarnings.ts"
import { missingObjectWarnings } from "./missingObjects.ts"
import { staleConfigWarnings } from "./staleConfig.ts"
import { growingClaimWarnings, staticVolumeWarnings } from "./staticVolumes.ts"
import { unplayedKindWarnings } from "./unplayedKinds.ts"
import { unplayedFieldWarnings } from "./unplayedFields.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { SteeringStrategy } from "../../../machines/steering/steeringStrategy.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PlanInput, SeedRun } from "../seeds/playSeed.ts"

export const manifestWarnings = ({
  from = [],
  next,
  livePods,
  warnings = [],
  refused = [],
  steering
}: Pick<
  PlanInput,
  "from" | "next" | "livePods" | "warnings" | "refused" | "steering"
>): ReadonlyArray<string> => [
  ...warnings,
  // For a live cluster, `warnings` already has those of the files.
  ...(livePods === undefined ? fileWarnings(from, next) : []),
  ...apiWarnings(from, next),
  ...unplayedFieldWarnings(next),
  ...steeringWarnings(next, withBuiltInSteering(steering)),
  ...missingObjectWarnings(next, { from, livePods }, refused),
  ...staleConfigWarnings(from, next),
  ...growingClaimWarnings(from, next),
  // A live cluster has objects that were not read.
  ...(livePods === undefined ? [...staticVolumeWarnings(from, next), ...mismatchWarnings(from, next)] : [])
]

/** These warnings are the same in every seed. */
export const playedWarnings = ([first]: ReadonlyArray<SeedRun>): ReadonlyArray<string> =>
  [...(first?.rollouts.values() ?? [])].flatMap(({ warnings }) => warnings)

const fileWarnings = (
  from: ReadonlyArray<ManifestDocument>,
  next: ReadonlyArray<ManifestDocument>
): ReadonlyArray<string> => [
  ...unplayedKindWarnings([...from, ...next]),
  ...autoscalerWarnings({ before: from.map(draftOf), next: next.map(draftOf), isLive: false })
]

const steeringWarnings = (
  next: ReadonlyArray<ManifestDocument>,
  strategies: ReadonlyArray<SteeringStrategy>
): ReadonlyArray<string> =>
  next.flatMap((document) => {
    const { kind, draft } = document
    const title = `${kind.kind}/${displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })}`
    return [
      ...annotationWarnings(document).map(({ message }) => message),
      ...(manifestStrategy(document, strategies)?.warnings ?? []).map(
        ({ message }) => `${strategyAnnotation}: ${message}`
      )
    ].map((message) => `${title}: ${message}`)
  })

const draftOf = ({ draft }: ManifestDocument): Draft => draft
