import * as Effect from "effect/Effect"
import { createWarnings } from "../../domain/admission/admit.ts"
import { keyIn } from "../../domain/objects.ts"
import { readDryRun, readObject } from "../bodies.ts"
import { objectAnswer } from "../call.ts"
import { ownedOnCreate, ownedOnUpdate } from "../ownership.ts"
import { named, placed } from "../places.ts"
import { presentObject } from "./read.ts"
import type { Draft } from "../../domain/objects.ts"
import type { Call, Verb } from "../call.ts"

export const create: Verb = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const dryRun = readDryRun(call.query, "CreateOptions")
    const draft = placed(readObject(call, target.kind, "CreateOptions"), target)
    return Effect.map(services.store.create(ownedOnCreate(call, draft), { dryRun }), (object) => {
      for (const warning of createWarnings(target.kind, draft)) call.warn(warning)
      return objectAnswer(object, 201)
    })
  })

/** Replaces an object, or only its status. */
export const update: Verb = (call) =>
  Effect.suspend(() => {
    const { target } = call
    const dryRun = readDryRun(call.query, "UpdateOptions")
    const draft = named(placed(readObject(call, target.kind, "UpdateOptions"), target), target)
    return replace(call, draft, dryRun)
  })

const replace = (call: Call, draft: Draft, dryRun: boolean) => {
  const { services, target } = call
  const { resource } = target
  const before = services.view.get(resource, keyIn(target.namespace, target.name ?? ""))
  if (before === undefined) {
    return createdByUpdate.has(resource)
      ? Effect.map(services.store.create(ownedOnCreate(call, draft), { dryRun }), (object) =>
          objectAnswer(object, 201)
        )
      : Effect.map(presentObject(call), (object) => objectAnswer(object))
  }
  const owned = ownedOnUpdate(call, before, draft)
  const write =
    target.subresource === "status"
      ? services.store.updateStatus(owned, { dryRun })
      : services.store.update(owned, { dryRun })
  return Effect.map(write, (object) => objectAnswer(object))
}

/** Kinds that a PUT creates where there is nothing to replace. */
const createdByUpdate: ReadonlySet<string> = new Set(["leases.coordination.k8s.io", "events", "services"])
