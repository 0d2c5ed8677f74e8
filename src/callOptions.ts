import { meantFor } from "./invalidOptions.ts"
import type { GroupResource } from "./domain/kinds.ts"
import type { NamesOf } from "./invalidOptions.ts"
import type { Listed, Named, PatchOptions, RolloutOptions, Watched } from "./openCluster.ts"

const named: NamesOf<Named> = { resource: true, name: true, namespace: true }
const listed: NamesOf<Listed> = { namespace: true, labelSelector: true, fieldSelector: true }
const watched: NamesOf<Watched> = { ...listed, resourceVersion: true }
const patching: NamesOf<PatchOptions> = { status: true }
const rolling: NamesOf<RolloutOptions> = { namespace: true, limit: true }

/**
 * What the calls of a cluster may be told. Whatever else is said would change nothing, and nobody would see it.
 *
 * @throws InvalidOptions
 */
export const meantNamed = <R extends GroupResource>(call: string, given: Named<R>): Named<R> => {
  meantFor<Named>(call, given, named)
  return given
}
export const meantListed = (given: Listed): Listed => meantFor("list", given, listed)
export const meantWatched = (given: Watched): Watched => meantFor("watch", given, watched)
export const meantPatching = (given: PatchOptions): PatchOptions => meantFor("patch", given, patching)
export const meantRolling = (given: RolloutOptions): RolloutOptions => meantFor("rollout", given, rolling)
