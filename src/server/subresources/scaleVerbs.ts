import * as Effect from "effect/Effect"
import { invalidField, notNegativeDetail } from "../../kubernetes/validation/fieldErrors.ts"
import { formatSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { Conflict, modifiedMeanwhile, NotFound } from "../../store/storeErrors.ts"
import { readDryRun, decodeBody } from "../requests/decodeBody.ts"
import { scaleKind } from "../requests/subresourceKinds.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import { withManagedFieldEntries } from "../../kubernetes/apply/managedFields/recordManager.ts"
import { withOwnershipOnScale, withOwnershipOnUpdate } from "../verbs/fieldOwnership.ts"
import { requireRequestName, inRequestNamespace } from "../requests/requestIdentity.ts"
import { makeRefusal } from "../http/statuses.ts"
import { applyPatchMediaType, decodePatchedObject, refuseForceParameter } from "../verbs/patchVerb.ts"
import { applyScale } from "./applyScale.ts"
import { findObject } from "../verbs/readVerbs.ts"
import { storeReplacement } from "../verbs/storeObjects.ts"
import { withCustomReplicas, readCustomScale } from "./customScale.ts"
import { errorBody } from "../../kubernetes/validation/fieldErrors.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { CustomScale, ScalePurpose } from "./customScale.ts"
import type { ApiAnswer, ApiCall, VerbHandler } from "../requests/apiCall.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/**
 * The scale subresource is the same for all workloads that have one.
 *
 * Source: pkg/registry/apps/deployment/storage/storage.go (ScaleREST), pkg/apis/autoscaling/validation/validation.go.
 */
export const getScaleVerb: VerbHandler = (call) =>
  Effect.map(findObject(call), (object) => toObjectAnswer(scaleOf(object, call)))

export const updateScaleVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const dryRun = readDryRun(call.query, "UpdateOptions")
    const draft = requireRequestName(
      inRequestNamespace(decodeBody(call, scaleKind, "UpdateOptions"), call.target),
      call.target
    )
    return Effect.flatMap(findScalableObject(call), (object) =>
      writeScale(call, { object, scale: toRequestedScale(draft), dryRun })
    )
  })

export const patchScaleVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const dryRun = readDryRun(call.query, "PatchOptions")
    refuseForceParameter(call)
    return Effect.flatMap(findScalableObject(call), (object) => {
      const presentScale = scaleOf(object, call, { isForWrite: true })
      if (call.contentType !== applyPatchMediaType) {
        return writeScale(call, {
          object,
          scale: toRequestedScale(decodePatchedObject(scaleKind, call, presentScale)),
          dryRun
        })
      }
      const { replicas, entries } = applyScale(call, object, presentScale)
      const resizedObject = withManagedFieldEntries(resizedDraft(call, object, replicas), entries)
      return storeScale(call, {
        object,
        scale: { replicas, resourceVersion: undefined },
        resizedObject,
        dryRun
      })
    })
  })

/** The NotFound of a built-in kind names the resource `…/scale`. */
const findScalableObject = (call: ApiCall): Effect.Effect<KubeObject, RefusalOrStoreError> =>
  Effect.mapError(findObject(call), (error) => {
    const { name = "", kind, resource } = call.target
    if (kind.custom !== undefined) return error
    const [plural = "", ...group] = resource.split(".")
    return new NotFound({ resource: [`${plural}/scale`, ...group].join("."), resourceName: name })
  })

interface ScalableObject extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector | Record<string, string> }
  readonly status?: { readonly replicas?: number }
}

const scaleOf = (
  object: ScalableObject,
  call: ApiCall,
  { isForWrite }: ScalePurpose = { isForWrite: false }
): KubeObject & { readonly spec: object } => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const { replicas, statusReplicas, selector } = readScale(object, call, { isForWrite })
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
      replicas: statusReplicas,
      ...(selector === undefined ? {} : { selector })
    }
  } as KubeObject & { readonly spec: object }
}

const readScale = (object: ScalableObject, { target }: ApiCall, purpose: ScalePurpose): CustomScale => {
  const paths = target.kind.custom?.scale
  if (paths !== undefined) return readCustomScale(object, paths, purpose)
  const { replicas = 0, selector } = object.spec ?? {}
  return {
    replicas,
    statusReplicas: object.status?.replicas ?? 0,
    selector: selector === undefined ? undefined : selectorText(selector)
  }
}

const selectorText = (selector: LabelSelector | Record<string, string>): string =>
  formatSelector(
    "matchLabels" in selector || "matchExpressions" in selector
      ? selector
      : { matchLabels: selector as Record<string, string> }
  )

interface RequestedScale {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly replicas: number
}

const toRequestedScale = ({ metadata, spec }: Draft & Pick<ScalableObject, "spec">): RequestedScale => ({
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
  replicas: spec?.replicas ?? 0
})

const writeScale = (
  call: ApiCall,
  {
    object,
    scale,
    dryRun
  }: { readonly object: ScalableObject; readonly scale: RequestedScale; readonly dryRun: boolean }
): Effect.Effect<ApiAnswer, RefusalOrStoreError> => {
  const { name, uid } = object.metadata
  if (scale.uid && scale.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${scale.uid}, UID in object meta: ${uid}`
    return Effect.fail(
      new Conflict({ resource: `${call.target.plural}/scale.${call.target.group}`, resourceName: name, why })
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
  call: ApiCall,
  {
    object,
    scale,
    resizedObject,
    dryRun
  }: {
    readonly object: ScalableObject
    readonly scale: Pick<RequestedScale, "replicas" | "resourceVersion">
    readonly resizedObject: Draft
    readonly dryRun: boolean
  }
): Effect.Effect<ApiAnswer, RefusalOrStoreError> => {
  const { name, resourceVersion } = object.metadata
  const { resource } = call.target
  if (scale.replicas < 0) throw negativeReplicas(name, scale.replicas)
  if (scale.resourceVersion && scale.resourceVersion !== "0" && scale.resourceVersion !== resourceVersion) {
    return Effect.fail(new Conflict({ resource, resourceName: name, why: modifiedMeanwhile }))
  }
  const write = storeReplacement(call, object, resizedObject, { dryRun })
  return Effect.map(write, (answer) => toObjectAnswer(scaleOf(answer.object, call)))
}

const resizedDraft = (call: ApiCall, object: ScalableObject, replicas: number): Draft => {
  const paths = call.target.kind.custom?.scale
  if (paths !== undefined)
    return withOwnershipOnUpdate(call, object, withCustomReplicas(object, paths, replicas))
  const resizedObject = { ...object, spec: { ...object.spec, replicas } }
  return withOwnershipOnScale(call, object, resizedObject)
}

const negativeReplicas = (name: string, replicas: number) => {
  const error = invalidField("spec.replicas", replicas, notNegativeDetail)
  return makeRefusal(
    422,
    "Invalid",
    `Scale.autoscaling ${JSON.stringify(name)} is invalid: ${error.field}: ${errorBody(error)}`,
    {
      name,
      group: "autoscaling",
      kind: "Scale",
      causes: [{ reason: error.type, message: errorBody(error), field: error.field }]
    }
  )
}
