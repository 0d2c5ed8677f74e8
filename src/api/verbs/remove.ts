import { isFields, type Fields } from "../../domain/fields.ts"
import * as Effect from "effect/Effect"
import { keyIn, keyOf } from "../../domain/objects.ts"
import { parseBody, readDryRun, unsupportedDryRun } from "../bodies.ts"
import { objectAnswer, statusAnswer } from "../call.ts"
import { badRequest, invalidOptions, success } from "../statuses.ts"
import { list } from "./read.ts"
import type { Kind } from "../../domain/kinds.ts"
import type { KubeObject } from "../../domain/objects.ts"
import type { DeleteOptions } from "../../store/objectStore.ts"
import type { Answer, Call, Verb } from "../call.ts"

/**
 * Deletes one object, with options in a body or in the query.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/delete.go, pkg/registry/generic/registry/store.go.
 */
export const remove: Verb = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const { resource } = target
    const ref = { resource, key: keyIn(target.namespace, target.name ?? "") }
    const options = readDeleteOptions(call)
    // Only who says in the old way that dependents are not to be orphaned is told that it is not over yet.
    const waits = statedOptions(call)["orphanDependents"] === false
    return Effect.map(services.store.delete(ref, options), (object) => {
      const isLeft = services.view.get(resource, ref.key) !== undefined && !options.dryRun
      return removed(target.kind, object, { isLeft, code: isLeft && waits ? 202 : 200 })
    })
  })

/** Deletes what a list with the same selectors would show, and answers with it. */
export const removeCollection: Verb = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const { gracePeriodSeconds, preconditions: _one, ...options } = readDeleteOptions(call)
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }
    return Effect.flatMap(list(call), (answer) => {
      const items = answer.type === "list" ? answer.page.items : []
      const removals = items.map((object) =>
        services.store
          .delete({ resource: target.resource, key: keyOf(object) }, { ...options, ...grace })
          .pipe(Effect.catchTag("NotFound", () => Effect.void))
      )
      return Effect.as(Effect.all(removals, { discard: true }), answer)
    })
  })

/** Kinds whose deletion is answered with the object, even when it is gone. */
const shownWhenGone: ReadonlySet<string> = new Set(["Pod", "Service", "ServiceAccount", "Namespace"])

const removed = (
  kind: Kind,
  object: KubeObject,
  { isLeft, code }: { readonly isLeft: boolean; readonly code: number }
): Answer => {
  if (isLeft || (kind.group === "" && shownWhenGone.has(kind.kind))) return objectAnswer(object, code)
  const { name, uid } = object.metadata
  return statusAnswer(
    success({ name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural, uid })
  )
}

const policies = ["Foreground", "Background", "Orphan"] as const

export const readDeleteOptions = (call: Call): DeleteOptions => {
  const stated = statedOptions(call)
  const dryRun = readDryRun(call.query, "DeleteOptions") || isDryRun(stated["dryRun"])
  const { gracePeriodSeconds, preconditions } = stated
  const grace =
    gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: readSeconds(gracePeriodSeconds) }
  const policy = readPolicy(stated)
  return {
    ...grace,
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(isFields(preconditions) ? { preconditions: readPreconditions(preconditions) } : {}),
    ...(dryRun ? { dryRun } : {})
  }
}

const statedOptions = (call: Call): Fields => {
  if (call.body.length > 0) {
    const { value } = parseBody(call)
    if (!isFields(value)) throw badRequest("the body of a deletion must be a DeleteOptions object")
    const { kind } = value
    if (kind !== undefined && kind !== "DeleteOptions") {
      throw badRequest(`decoded object cannot be converted to DeleteOptions: ${JSON.stringify(kind)}`)
    }
    return value
  }
  const { query } = call
  const grace = query.integer("gracePeriodSeconds")
  const policy = query.text("propagationPolicy")
  const orphans = query.text("orphanDependents")
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(orphans === undefined ? {} : { orphanDependents: query.flag("orphanDependents") })
  }
}

const isDryRun = (stated: unknown): boolean => {
  if (!Array.isArray(stated)) return false
  if (stated.every((it) => it === "All")) return stated.length > 0
  throw unsupportedDryRun(stated, "DeleteOptions")
}

const readSeconds = (stated: unknown): number => {
  if (Number.isSafeInteger(stated)) return Number(stated)
  throw badRequest(
    `json: cannot unmarshal ${typeof stated} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`
  )
}

const readPreconditions = (stated: Fields): { readonly uid?: string; readonly resourceVersion?: string } => ({
  ...(typeof stated["uid"] === "string" ? { uid: stated["uid"] } : {}),
  ...(typeof stated["resourceVersion"] === "string" ? { resourceVersion: stated["resourceVersion"] } : {})
})

const readPolicy = (stated: Fields): DeleteOptions["propagationPolicy"] => {
  const { propagationPolicy: policy, orphanDependents: orphans } = stated
  const refused = (reason: string, body: string) =>
    invalidOptions("DeleteOptions", [{ field: "propagationPolicy", reason, body }])
  if (orphans !== undefined && orphans !== null && policy !== undefined && policy !== null) {
    const body = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`
    throw refused("FieldValueInvalid", body)
  }
  if (orphans === true) return "Orphan"
  if (orphans === false) return "Background"
  if (policy === undefined || policy === null) return undefined
  const known = policies.find((it) => it === policy)
  if (known !== undefined) return known
  const body = `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`
  throw refused("FieldValueNotSupported", body)
}
