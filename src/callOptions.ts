import { meantFor } from "./invalidOptions.ts"
import type { GroupResource } from "./domain/kinds.ts"
import type { DeleteOptions } from "./store/objectStore.ts"
import type { NamesOf } from "./invalidOptions.ts"
import type { Listed, Named, PatchOptions, RolloutOptions, Watched } from "./openCluster.ts"

const objectNames: NamesOf<Named> = { resource: true, name: true, namespace: true }
const listNames: NamesOf<Listed> = { namespace: true, labelSelector: true, fieldSelector: true }
const watchNames: NamesOf<Watched> = { ...listNames, resourceVersion: true }
const patchNames: NamesOf<PatchOptions> = { status: true }
const deleteNames: NamesOf<DeleteOptions> = {
  dryRun: true,
  propagationPolicy: true,
  gracePeriodSeconds: true,
  preconditions: true
}
const rolloutNames: NamesOf<RolloutOptions> = { namespace: true, limit: true }

/**
 * Validates the options of a call: a misspelt option would be ignored silently.
 *
 * @throws InvalidOptions
 */
export const meantNamed = <R extends GroupResource>(call: string, given: Named<R>): Named<R> => {
  meantFor<Named>(call, given, objectNames)
  return given
}
export const meantListed = (given: Listed): Listed => meantFor("list", given, listNames)
export const meantWatched = (given: Watched): Watched => meantFor("watch", given, watchNames)
export const meantPatching = (given: PatchOptions): PatchOptions => meantFor("patch", given, patchNames)
export const meantDeleting = (given: DeleteOptions): DeleteOptions => meantFor("delete", given, deleteNames)
export const meantRolling = (given: RolloutOptions): RolloutOptions =>
  meantFor("rollout", given, rolloutNames)

/**
 * Wraps a condition so that one that returns a promise, which would always be truthy, is an error.
 *
 * @throws TypeError when the condition returns a promise
 */
export const answering = (holds: () => boolean) => (): boolean => {
  const result: unknown = holds()
  if (result instanceof Promise)
    throw new TypeError("what until asks must answer true or false, and not with a promise: see eventually")
  return Boolean(result)
}
