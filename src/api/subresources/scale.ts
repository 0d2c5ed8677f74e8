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
    return Effect.flatMap(presentSized(call), (object) =>
      resize(call, { object, scale: wantedBy(draft), dryRun })
    )
  })

export const patchScale: Verb = (call) =>
  Effect.suspend(() => {
    const dryRun = readDryRun(call.query, "PatchOptions")
    refuseForce(call)
    return Effect.flatMap(presentSized(call), (object) => {
      const present = scaleOf(object, call, true)
      if (call.contentType !== applyType) {
        return resize(call, { object, scale: wantedBy(patchedAs(scaleKind, call, present)), dryRun })
      }
      const { replicas, entries } = appliedScale(call, object, present)
      const resized = withEntries(resizedDraft(call, object, replicas), entries)
      return stored(call, { object, scale: { replicas, resourceVersion: undefined }, resized, dryRun })
    })
  })

/** The object to scale. The NotFound of a built-in kind names the resource `…/scale`. */
const presentSized = (call: Call): Effect.Effect<KubeObject, Refused> =>
  Effect.mapError(presentObject(call), (error) => {
    const { name = "", kind, resource } = call.target
    if (kind.custom !== undefined) return error
    const [plural = "", ...group] = resource.split(".")
    return new NotFound({ resource: [`${plural}/scale`, ...group].join("."), name })
  })

interface Sized extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector | Record<string, string> }
  readonly status?: { readonly replicas?: number }
}

const scaleOf = (object: Sized, call: Call, isWritten = false): KubeObject & { readonly spec: object } => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const { replicas, present, selector } = sizeOf(object, call, isWritten)
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

const sizeOf = (object: Sized, { target }: Call, isWritten: boolean): CustomSize => {
  const paths = target.kind.custom?.scale
  if (paths !== undefined) return sizeAt(object, paths, isWritten)
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

const wantedBy = ({ metadata, spec }: Draft & Pick<Sized, "spec">): WantedScale => ({
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
  replicas: spec?.replicas ?? 0
})

const resize = (
  call: Call,
  { object, scale, dryRun }: { readonly object: Sized; readonly scale: WantedScale; readonly dryRun: boolean }
): Effect.Effect<Answer, Refused> => {
  const { name, uid } = object.metadata
  if (scale.uid && scale.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${scale.uid}, UID in object meta: ${uid}`
    return Effect.fail(
      new Conflict({ resource: `${call.target.plural}/scale.${call.target.group}`, name, why })
    )
  }
  return stored(call, { object, scale, resized: resizedDraft(call, object, scale.replicas), dryRun })
}

const stored = (
  call: Call,
  {
    object,
    scale,
    resized,
    dryRun
  }: {
    readonly object: Sized
    readonly scale: Pick<WantedScale, "replicas" | "resourceVersion">
    readonly resized: Draft
    readonly dryRun: boolean
  }
): Effect.Effect<Answer, Refused> => {
  const { name, resourceVersion } = object.metadata
  const { resource } = call.target
  if (scale.replicas < 0) throw negative(name, scale.replicas)
  if (scale.resourceVersion && scale.resourceVersion !== "0" && scale.resourceVersion !== resourceVersion) {
    return Effect.fail(new Conflict({ resource, name, why: modifiedMeanwhile }))
  }
  const written = replaced(call, object, resized, { dryRun })
  return Effect.map(written, ({ object: after }) => objectAnswer(scaleOf(after, call)))
}

const resizedDraft = (call: Call, object: Sized, replicas: number): Draft => {
  const paths = call.target.kind.custom?.scale
  if (paths !== undefined) return ownedOnUpdate(call, object, resizedAt(object, paths, replicas))
  const resized = { ...object, spec: { ...object.spec, replicas } }
  return ownedOnScale(call, object, resized)
}

const negative = (name: string, replicas: number) => {
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
