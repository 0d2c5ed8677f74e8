import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { decodeObject } from "../../domain/admission/decode.ts"
import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { isFields, type Fields } from "../../domain/fields.ts"
import { jsonPatch } from "../../domain/patches.ts"
import { nameOf, objectNamed } from "../conditions/objectName.ts"
import { readDrafts } from "../../manifests/readManifests.ts"
import { strategicMergePatch } from "../../domain/strategicMerge.ts"
import { targetOf } from "./writeChecks.ts"
import { undone } from "../../domain/undo.ts"
import type { Cluster } from "../../cluster.ts"
import type { Deployment, Draft, KubeObject } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { NamedObject } from "../conditions/objectName.ts"
import type { Write } from "./story.ts"

/** Why a step's deed did not come about, in the server's words or kubectl's. */
export class Refused extends TaggedError("Refused")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

type Served = Pick<Cluster["Service"], "store" | "view">

/** Does what kubectl would do, as one step of the cluster's timeline. */
export const write = (cluster: Served, step: Write): Effect.Effect<void, Refused> => {
  if ("apply" in step) return apply(cluster, step.apply)
  const target = targetOf(step)
  const object = objectNamed(target?.name ?? "")
  if ("message" in object) return Effect.fail(new Refused({ why: object.message }))
  const change = (next: (live: KubeObject) => Change): Effect.Effect<void, Refused> =>
    changeObject(cluster, object, next)
  if ("patch" in step) return change((live) => patchedWith(live, object, step.with))
  if ("scale" in step) return change((live) => specWith(live, { replicas: step.to }))
  if ("setImage" in step) return change((live) => withImages(live, step.images))
  if ("pause" in step) return change((live) => pausedAs(live, object, true))
  if ("resume" in step) return change((live) => pausedAs(live, object, false))
  if ("undo" in step) {
    return change((live) => {
      const replicaSets = cluster.view.controlled(resources.replicaSets, live.metadata.uid)
      return undone(live as Deployment, replicaSets, step.toRevision)
    })
  }
  const { resource, key } = object
  return Effect.asVoid(Effect.mapError(cluster.store.delete({ resource, key }), refusedBy))
}

/** What an object is to become, or why it cannot. */
type Change = { readonly next: Draft } | { readonly why: string }

const refusedBy = (error: { readonly message: string }): Refused => new Refused({ why: error.message })

const changeObject = (
  { store }: Served,
  { resource, key }: NamedObject,
  change: (live: KubeObject) => Change
): Effect.Effect<void, Refused> =>
  Effect.gen(function* () {
    const live = yield* Effect.mapError(store.get({ resource, key }), refusedBy)
    const changed = change(live)
    if ("why" in changed) return yield* new Refused({ why: changed.why })
    yield* Effect.mapError(store.update(changed.next), refusedBy)
  })

/** Reading objects takes longer than applying them, and a story is played with many seeds. */
const read = new WeakMap<ReadonlyArray<Draft>, ReadonlyArray<ManifestDocument>>()

/** Applies objects as `kubectl apply` does. */
export const apply = (
  { store }: Pick<Served, "store">,
  drafts: ReadonlyArray<Draft>
): Effect.Effect<void, Refused> =>
  Effect.suspend(() => {
    const known = read.get(drafts)
    const { documents, problems } =
      known === undefined ? readDrafts(drafts) : { documents: known, problems: [] }
    if (problems.length > 0) return Effect.fail(new Refused({ why: wordsOf(problems) }))
    read.set(drafts, documents)
    return Effect.asVoid(
      Effect.mapError(
        applyDocuments(store, documents),
        ({ problems }) => new Refused({ why: wordsOf(problems) })
      )
    )
  })

const wordsOf = (problems: ReadonlyArray<{ readonly message: string }>): string =>
  problems.map(({ message }) => message).join("; ")

const patchedWith = (live: KubeObject, { kind }: NamedObject, patch: object): Change => {
  const result = Array.isArray(patch) ? jsonPatch(live, patch) : strategicMergePatch(kind, live, patch)
  if (!result.ok) return { why: result.message }
  const decoded = decodeObject(result.value, { strict: true, before: live })
  return decoded.ok ? { next: decoded.object } : { why: decoded.message }
}

const specOf = (object: Draft): Fields => ("spec" in object && isFields(object.spec) ? object.spec : {})

const specWith = (live: KubeObject, fields: Fields): Change => {
  const next: Draft & { readonly spec: Fields } = { ...live, spec: { ...specOf(live), ...fields } }
  return { next }
}

/** Source: staging/src/k8s.io/kubectl/pkg/cmd/set/set_image.go. */
const withImages = (live: KubeObject, images: Readonly<Record<string, string>>): Change => {
  const spec = specOf(live)
  const template = isFields(spec["template"]) ? spec["template"] : undefined
  const own = template === undefined ? spec : isFields(template["spec"]) ? template["spec"] : {}
  const found = new Set<string>()
  const renewed = (field: "initContainers" | "containers"): Fields => {
    const containers: unknown = own[field]
    if (!Array.isArray(containers)) return {}
    return {
      [field]: containers.filter(isFields).map((container) => {
        const name = String(container["name"])
        found.add(name)
        const image = images[name] ?? images["*"]
        return image === undefined ? container : { ...container, image }
      })
    }
  }
  const next = { ...own, ...renewed("initContainers"), ...renewed("containers") }
  const missing = Object.keys(images).find((name) => name !== "*" && !found.has(name))
  if (missing !== undefined)
    return { why: `error: unable to find container named ${JSON.stringify(missing)}` }
  return specWith(live, template === undefined ? next : { template: { ...template, spec: next } })
}

/** Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/{objectpauser,objectresumer}.go. */
const pausedAs = (live: KubeObject, object: NamedObject, paused: boolean): Change => {
  const { paused: isPaused = false, ...spec } = specOf(live)
  const who = `${groupResourceOf(object.kind)} ${JSON.stringify(object.name)}`
  if (isPaused === paused) return { why: `error: ${who} ${paused ? "is already paused" : "is not paused"}` }
  const next: Draft & { readonly spec: Fields } = { ...live, spec: paused ? { ...spec, paused } : spec }
  return { next }
}

/** How messages name what a step is about. */
export const whomOf = (step: Write): string => {
  const target = targetOf(step)
  const object = target === undefined ? undefined : objectNamed(target.name)
  return object === undefined || "message" in object ? (target?.name ?? "") : nameOf(object)
}
