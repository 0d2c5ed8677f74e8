import * as Effect from "effect/Effect"
import { resources } from "../../domain/kinds.ts"
import { withManagedFields } from "../../domain/managedFields/complete.ts"
import { keyIn } from "../../domain/objects.ts"
import { NotFound } from "../../store/errors.ts"
import { readDryRun, readObject } from "../bodies.ts"
import { ownedOnCreate, ownedOnUpdate } from "../ownership.ts"
import { named, placed } from "../places.ts"
import { created, replaced } from "./storing.ts"
import type { Verb } from "../call.ts"

export const create: Verb = (call) =>
  Effect.suspend(() => {
    const { target } = call
    const dryRun = readDryRun(call.query, "CreateOptions")
    const draft = placed(readObject(call, target.kind, "CreateOptions"), target)
    return created(call, ownedOnCreate(call, draft), { dryRun })
  })

export const update: Verb = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const { resource, name = "", namespace, subresource } = target
    const dryRun = readDryRun(call.query, "UpdateOptions")
    const draft = named(placed(readObject(call, target.kind, "UpdateOptions"), target), target)
    const stored = services.view.get(resource, keyIn(namespace, name))
    const before = stored === undefined ? undefined : withManagedFields(stored)
    if (before !== undefined) return replaced(call, before, ownedOnUpdate(call, before, draft), { dryRun })
    return subresource === undefined && createdByUpdate.has(resource)
      ? created(call, ownedOnCreate(call, draft), { dryRun })
      : Effect.fail(new NotFound({ resource, name }))
  })

/** Kinds that a PUT creates when the object does not exist. Source: AllowCreateOnUpdate in pkg/registry. */
const createdByUpdate: ReadonlySet<string> = new Set([
  resources.events,
  "endpoints",
  "leases.coordination.k8s.io",
  "limitranges",
  "services",
  ...["roles", "rolebindings", "clusterroles", "clusterrolebindings"].map(
    (plural) => `${plural}.rbac.authorization.k8s.io`
  )
])
