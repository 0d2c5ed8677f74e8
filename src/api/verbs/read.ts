import * as Effect from "effect/Effect"
import { keyIn } from "../../domain/objects.ts"
import { NotFound } from "../../store/errors.ts"
import { pageOf, readPage, readVersion, requireReached } from "../pages.ts"
import { readSelection } from "../selection.ts"
import { objectAnswer } from "../call.ts"
import type { KubeObject } from "../../domain/objects.ts"
import type { Call, Verb } from "../call.ts"

/** The present object that a call names, or `NotFound` as a failure. */
export const presentObject = ({ services, target }: Call): Effect.Effect<KubeObject, NotFound> =>
  Effect.suspend(() => {
    const { resource, name = "", namespace } = target
    const object = services.view.get(resource, keyIn(namespace, name))
    return object === undefined ? Effect.fail(new NotFound({ resource, name })) : Effect.succeed(object)
  })

export const get: Verb = (call) =>
  Effect.suspend(() => {
    const version = readVersion(call.query.text("resourceVersion"))
    if (version !== undefined) requireReached(version, call.services.view)
    return Effect.map(presentObject(call), (object) => objectAnswer(object))
  })

export const list: Verb = (call) =>
  Effect.sync(() => {
    const { services, target, query } = call
    const { matches, isSelective } = readSelection(call)
    const { resource } = target
    const page = pageOf(services.view, { resource, matches, isSelective, ...readPage(query, services.view) })
    return { type: "list", kind: target.kind, page }
  })
