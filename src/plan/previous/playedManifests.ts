import { withAssumedObjects } from "./assumedObjects.ts"
import { withoutFinishedJobs } from "./finishedJobs.ts"
import { withoutForeignAddresses } from "./foreignAddresses.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"

export interface PlayedManifests {
  readonly next: ReadonlyArray<ManifestDocument>
  /** Undefined if nothing ran before, and nothing is assumed to exist. */
  readonly from: ReadonlyArray<ManifestDocument> | undefined
}

/** Manifests as a simulated cluster can take them, with the objects that they need. */
export const playedManifests = (
  { from, next }: PlayedManifests,
  refused: ReadonlyArray<RefusedObject> = []
): PlayedManifests => {
  const playable = withoutForeignAddresses({ from: from && withoutFinishedJobs(from), next })
  return { next: playable.next, from: withAssumedObjects(playable.from, playable.next, refused) }
}
