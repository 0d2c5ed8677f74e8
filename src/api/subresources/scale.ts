import * as Effect from "effect/Effect"
import { invalid, notNegative } from "../../domain/admission/fieldErrors.ts"
import { formatSelector } from "../../domain/selectors.ts"
import { Conflict, modifiedMeanwhile, NotFound } from "../../store/errors.ts"
import { readDryRun, readObject } from "../bodies.ts"
import { scaleKind } from "../bodyKinds.ts"
import { objectAnswer } from "../call.ts"
import { withEntries } from "../../domain/managedFields/ownedWrites.ts"
import { ownedOnScale, ownedOnUpdate } from "../ownership.ts"
import { named, placed } from "../places.ts"
import { refusal } from "../statuses.ts"
import { applyType, patchedAs, refuseForce } from "../verbs/patch.ts"
import { appliedScale } from "./appliedScale.ts"
import { presentObject } from "../verbs/read.ts"
import { replaced } from "../verbs/storing.ts"
import { resizedAt, sizeAt } from "../customResources/size.ts"
import { bodyOf } from "../../domain/admission/fieldErrors.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Draft, KubeObject } from "../../domain/objects.ts"
import type { CustomSize } from "../customResources/size.ts"
import type { Answer, Call, Verb } from "../call.ts"
import type { Refused } from "../statuses.ts"

/**
 * The scale subresource, the same for all workloads that have one.
 *
 * Source: pkg/registry/apps/deployment/storage/storage.go (ScaleREST), pkg/apis/autoscaling/validation/validation.go.
 */
export const getScale: Verb = (call) =>
  Effect.map(presentObject(call), (object) => objectAnswer(scaleOf(object, call)))

export const updateScale: Verb = (call) =>
  Effect.suspend(() => {
    const dryRun = readDryRun(call.query, "UpdateOptions")
    const draft = named(placed(readObject(call, scaleKind, "UpdateOptions"), call.target), call.target)
    return Effect.flatMap(findScalable(call), (object) =>
      writeScale(call, { object, scale: toWantedScale(draft), dryRun })
    )
  })

export const patchScale: Verb = (call) =>
  Effect.suspend(() => {
    const dryRun = readDryRun(call.query, "PatchOptions")
    refuseForce(call)
    return Effect.flatMap(findScalable(call), (object) => {
      const present = scaleOf(object, call, true)
      if (call.contentType !== applyType) {
        return writeScale(call, { object, scale: toWantedScale(patchedAs(scaleKind, call, present)), dryRun })
      }
      const { replicas, entries } = appliedScale(call, object, present)
      const resizedObject = withEntries(resizedDraft(call, object, replicas), entries)
      return storeScale(call, {
        object,
        scale: { replicas, resourceVersion: undefined },
        resizedObject,
        dryRun
      })
    })
  })

/** The object to scale. The NotFound of a built-in kind names the resource `…/scale`. */
const findScalable = (call: Call): Effect.Effect<KubeObject, Refused> =>
  Effect.mapError(presentObject(call), (error) => {
    const { name = "", kind, resource } = call.target
    if (kind.custom !== undefined) return error
    const [plural = "", ...group] = resource.split(".")
    return new NotFound({ resource: [`${plural}/scale`, ...group].join("."), name })
  })

interface ScalableObject extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector | Record<string, string> }
  readonly status?: { readonly replicas?: number }
}

const scaleOf = (
  object: ScalableObject,
  call: Call,
  isForWrite = false
): KubeObject & { readonly spec: object } => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const { replicas, present, selector } = readScale(object, call, isForWrite)
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp
    },
    // Go omits zero replicas in JSON.
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: present,
      ...(selector === undefined ? {} : { selector })
    }
  } as KubeObject & { readonly spec: object }
}

const readScale = (object: ScalableObject, { target }: Call, isForWrite: boolean): CustomSize => {
  const paths = target.kind.custom?.scale
  if (paths !== undefined) return sizeAt(object, paths, isForWrite)
  const { replicas = 0, selector } = object.spec ?? {}
  return {
    replicas,
    present: object.status?.replicas ?? 0,
    selector: selector === undefined ? undefined : selectorText(selector)
  }
}

const selectorText = (selector: LabelSelector | Record<string, string>): string =>
  formatSelector(
    "matchLabels" in selector || "matchExpressions" in selector
      ? selector
      : { matchLabels: selector as Record<string, string> }
  )

interface WantedScale {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly replicas: number
}

const toWantedScale = ({ metadata, spec }: Draft & Pick<ScalableObject, "spec">): WantedScale => ({
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
  replicas: spec?.replicas ?? 0
})

const writeScale = (
  call: Call,
  {
    object,
    scale,
    dryRun
  }: { readonly object: ScalableObject; readonly scale: WantedScale; readonly dryRun: boolean }
): Effect.Effect<Answer, Refused> => {
  const { name, uid } = object.metadata
  if (scale.uid && scale.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${scale.uid}, UID in object meta: ${uid}`
    return Effect.fail(
      new Conflict({ resource: `${call.target.plural}/scale.${call.target.group}`, name, why })
    )
  }
  return storeScale(call, {
    object,
    scale,
    resizedObject: resizedDraft(call, object, scale.replicas),
    dryRun
  })
}

const storeScale = (
  call: Call,
  {
    object,
    scale,
    resizedObject,
    dryRun
  }: {
    readonly object: ScalableObject
    readonly scale: Pick<WantedScale, "replicas" | "resourceVersion">
    readonly resizedObject: Draft
    readonly dryRun: boolean
  }
): Effect.Effect<Answer, Refused> => {
  const { name, resourceVersion } = object.metadata
  const { resource } = call.target
  if (scale.replicas < 0) throw negativeReplicas(name, scale.replicas)
  if (scale.resourceVersion && scale.resourceVersion !== "0" && scale.resourceVersion !== resourceVersion) {
    return Effect.fail(new Conflict({ resource, name, why: modifiedMeanwhile }))
  }
  const written = replaced(call, object, resizedObject, { dryRun })
  return Effect.map(written, ({ object: after }) => objectAnswer(scaleOf(after, call)))
}

const resizedDraft = (call: Call, object: ScalableObject, replicas: number): Draft => {
  const paths = call.target.kind.custom?.scale
  if (paths !== undefined) return ownedOnUpdate(call, object, resizedAt(object, paths, replicas))
  const resizedObject = { ...object, spec: { ...object.spec, replicas } }
  return ownedOnScale(call, object, resizedObject)
}

const negativeReplicas = (name: string, replicas: number) => {
  const error = invalid("spec.replicas", replicas, notNegative)
  return refusal(
    422,
    "Invalid",
    `Scale.autoscaling ${JSON.stringify(name)} is invalid: ${error.field}: ${bodyOf(error)}`,
    {
      name,
      group: "autoscaling",
      kind: "Scale",
      causes: [{ reason: error.type, message: bodyOf(error), field: error.field }]
    }
  )
}
