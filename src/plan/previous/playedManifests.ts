import { withAssumedObjects } from "./assumedObjects.ts"
import { withoutFinishedJobs } from "./finishedJobs.ts"
import { withoutForeignAddresses } from "./foreignAddresses.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

export interface PlayedManifests {
  readonly next: ReadonlyArray<ManifestDocument>
  /** Undefined if nothing ran before, and nothing is assumed to exist. */
  readonly from: ReadonlyArray<ManifestDocument> | undefined
}

/** What a simulated cluster can take of manifests, with the objects that they need. */
export const playedManifests = ({ from, next }: PlayedManifests): PlayedManifests => {
  const own = withoutForeignAddresses({ from: from && withoutFinishedJobs(from), next })
  return { next: own.next, from: withAssumedObjects(own.from, own.next) }
}
