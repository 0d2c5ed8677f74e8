import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { applyDocuments } from "../../../manifests/applyManifests.ts"
import { decodeObject } from "../../../kubernetes/admission/decoding/decodeObject.ts"
import { groupResourceOf, resources } from "../../../kubernetes/meta/kinds.ts"
import { isFields, type Fields } from "../../../kubernetes/meta/fields.ts"
import { jsonPatch } from "../../../kubernetes/apply/patches/jsonPatches.ts"
import { objectNameText, parseObjectName } from "../../conditions/objectName.ts"
import { readManifestObjects } from "../../../manifests/readManifests.ts"
import { strategicMergePatch } from "../../../kubernetes/apply/patches/strategicMerge.ts"
import { writeTarget } from "../checking/writeChecks.ts"
import { undoRollout } from "../../../kubernetes/apps/revisions/undoRollout.ts"
import { withUndoneRevision } from "../../../kubernetes/apps/controllerRevisions/undoRevision.ts"
import type { DaemonSet } from "../../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { StatefulSet } from "../../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { Deployment, Draft, KubeObject } from "../../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"
import type { NamedObject } from "../../conditions/objectName.ts"
import type { StoryWrite } from "../story.ts"

export class StepRefused extends TaggedError("Refused")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

type ClusterStore = Pick<Cluster["Service"], "store" | "view">

export const performWrite = (cluster: ClusterStore, step: StoryWrite): Effect.Effect<void, StepRefused> => {
  if ("apply" in step) return applyStoryObjects(cluster, step.apply)
  const target = writeTarget(step)
  const object = parseObjectName(target?.name ?? "")
  if ("message" in object) return Effect.fail(new StepRefused({ why: object.message }))
  const change = (changeOf: (live: KubeObject) => ObjectChange): Effect.Effect<void, StepRefused> =>
    changeObject(cluster, object, changeOf)
  if ("patch" in step) return change((live) => applyPatch(live, object, step.with))
  if ("scale" in step) return change((live) => withSpecFields(live, { replicas: step.to }))
  if ("setImage" in step) return change((live) => withImages(live, step.images))
  if ("pause" in step) return change((live) => setPaused(live, object, true))
  if ("resume" in step) return change((live) => setPaused(live, object, false))
  if ("undo" in step) {
    return change((live) => {
      if (live.kind !== "Deployment") {
        const revisions = cluster.view.controlled(resources.controllerRevisions, live.metadata.uid)
        return withUndoneRevision(live as StatefulSet | DaemonSet, revisions, step.toRevision)
      }
      const replicaSets = cluster.view.controlled(resources.replicaSets, live.metadata.uid)
      return undoRollout(live as Deployment, replicaSets, step.toRevision)
    })
  }
  const { resource, key } = object
  return Effect.asVoid(Effect.mapError(cluster.store.delete({ resource, key }), toStepRefused))
}

/** The refusal is kubectl's error message. */
type ObjectChange = { readonly updatedObject: Draft } | { readonly refusal: string }

const toStepRefused = (error: { readonly message: string }): StepRefused =>
  new StepRefused({ why: error.message })

const changeObject = (
  { store }: ClusterStore,
  { resource, key }: NamedObject,
  changeOf: (live: KubeObject) => ObjectChange
): Effect.Effect<void, StepRefused> =>
  Effect.gen(function* () {
    const live = yield* Effect.mapError(store.get({ resource, key }), toStepRefused)
    const change = changeOf(live)
    if ("refusal" in change) return yield* new StepRefused({ why: change.refusal })
    yield* Effect.mapError(store.update(change.updatedObject), toStepRefused)
  })

/** Parsing takes longer than applying, and a story is played with many seeds. */
const documentsByDrafts = new WeakMap<ReadonlyArray<Draft>, ReadonlyArray<ManifestDocument>>()

export const applyStoryObjects = (
  { store }: Pick<ClusterStore, "store">,
  drafts: ReadonlyArray<Draft>
): Effect.Effect<void, StepRefused> =>
  Effect.suspend(() => {
    const cached = documentsByDrafts.get(drafts)
    const { documents, problems } =
      cached === undefined
        ? readManifestObjects(drafts, { kinds: store.kinds })
        : { documents: cached, problems: [] }
    if (problems.length > 0) return Effect.fail(new StepRefused({ why: joinMessages(problems) }))
    documentsByDrafts.set(drafts, documents)
    return Effect.asVoid(
      Effect.mapError(
        applyDocuments(store, documents),
        ({ problems }) => new StepRefused({ why: joinMessages(problems) })
      )
    )
  })

const joinMessages = (problems: ReadonlyArray<{ readonly message: string }>): string =>
  problems.map(({ message }) => message).join("; ")

const applyPatch = (live: KubeObject, { kind }: NamedObject, patch: object): ObjectChange => {
  const result = Array.isArray(patch) ? jsonPatch(live, patch) : strategicMergePatch(kind, live, patch)
  if (!result.ok) return { refusal: result.message }
  const decoded = decodeObject(result.value, { strict: true, before: live })
  return decoded.ok ? { updatedObject: decoded.object } : { refusal: decoded.message }
}

const specOf = (object: Draft): Fields => ("spec" in object && isFields(object.spec) ? object.spec : {})

const withSpecFields = (live: KubeObject, fields: Fields): ObjectChange => {
  const updatedObject: Draft & { readonly spec: Fields } = { ...live, spec: { ...specOf(live), ...fields } }
  return { updatedObject }
}

/** Source: kubectl/pkg/cmd/set/set_image.go. */
const withImages = (live: KubeObject, images: Readonly<Record<string, string>>): ObjectChange => {
  const spec = specOf(live)
  const template = isFields(spec["template"]) ? spec["template"] : undefined
  const podSpec = template === undefined ? spec : isFields(template["spec"]) ? template["spec"] : {}
  const foundNames = new Set<string>()
  const withNewImages = (field: "initContainers" | "containers"): Fields => {
    const containers: unknown = podSpec[field]
    if (!Array.isArray(containers)) return {}
    return {
      [field]: containers.filter(isFields).map((container) => {
        const name = String(container["name"])
        foundNames.add(name)
        const image = images[name] ?? images["*"]
        return image === undefined ? container : { ...container, image }
      })
    }
  }
  const newPodSpec = { ...podSpec, ...withNewImages("initContainers"), ...withNewImages("containers") }
  const missingName = Object.keys(images).find((name) => name !== "*" && !foundNames.has(name))
  if (missingName !== undefined)
    return { refusal: `error: unable to find container named ${JSON.stringify(missingName)}` }
  return withSpecFields(
    live,
    template === undefined ? newPodSpec : { template: { ...template, spec: newPodSpec } }
  )
}

/** Source: kubectl/pkg/polymorphichelpers/{objectpauser,objectresumer}.go. */
const setPaused = (live: KubeObject, object: NamedObject, paused: boolean): ObjectChange => {
  const { paused: isPaused = false, ...spec } = specOf(live)
  const objectText = `${groupResourceOf(object.kind)} ${JSON.stringify(object.name)}`
  if (isPaused === paused)
    return { refusal: `error: ${objectText} ${paused ? "is already paused" : "is not paused"}` }
  const updatedObject: Draft & { readonly spec: Fields } = {
    ...live,
    spec: paused ? { ...spec, paused } : spec
  }
  return { updatedObject }
}

export const writeTargetText = (step: StoryWrite): string => {
  const target = writeTarget(step)
  const object = target === undefined ? undefined : parseObjectName(target.name)
  return object === undefined || "message" in object ? (target?.name ?? "") : objectNameText(object)
}
