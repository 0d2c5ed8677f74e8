import { meantFor } from "./invalidOptions.ts"
import type { GroupResource } from "./domain/kinds.ts"
import type { DeleteOptions } from "./store/objectStore.ts"
import type { NamesOf } from "./invalidOptions.ts"
import type { Listed, Named, PatchOptions, RolloutOptions, Watched } from "./openCluster.ts"

const named: NamesOf<Named> = { resource: true, name: true, namespace: true }
const listed: NamesOf<Listed> = { namespace: true, labelSelector: true, fieldSelector: true }
const watched: NamesOf<Watched> = { ...listed, resourceVersion: true }
const patching: NamesOf<PatchOptions> = { status: true }
const deleting: NamesOf<DeleteOptions> = {
  dryRun: true,
  propagationPolicy: true,
  gracePeriodSeconds: true,
  preconditions: true
}
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
export const meantDeleting = (given: DeleteOptions): DeleteOptions => meantFor("delete", given, deleting)
export const meantRolling = (given: RolloutOptions): RolloutOptions => meantFor("rollout", given, rolling)

/**
 * A condition that answers at once: a promise would always hold.
 *
 * @throws TypeError when it is asked, and answers with a promise
 */
export const answering = (holds: () => boolean) => (): boolean => {
  const answer: unknown = holds()
  if (answer instanceof Promise)
    throw new TypeError("what until asks must answer true or false, and not with a promise: see eventually")
  return Boolean(answer)
}
