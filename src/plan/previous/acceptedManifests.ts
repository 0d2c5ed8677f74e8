import * as Effect from "effect/Effect"
import { documentProblem } from "../../manifests/manifestProblems.ts"
import {
  claimKeysOf,
  claimsNamedBy,
  claimTemplatesOf,
  hasFittingVolume,
  isAssumedDraft,
  isClaimDraft,
  isStaticVolumeOfClass,
  isVolumeDraft,
  replicaClaimsOf
} from "./assumedVolumes.ts"
import { asRequiredObject, requiredObjectText } from "./assumedObjects.ts"
import { boundClaimKeys, claimKeysWithVolume, claimsOfPodsExcept } from "../claimsOfPods.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { existingObjects, objectsAwaitedByPods, requiredStorageClass } from "../warnings/missingObjects.ts"
import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { keyOfDraft } from "../documentKeys.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { isVolumeOfClaim } from "../../kubernetes/storage/claimVolumes.ts"
import { isWorkload } from "../workloads.ts"
import {
  namesStorageClass,
  noProvisioner,
  storageClassNameOf
} from "../../kubernetes/storage/storageClasses.ts"
import { podReferences } from "../../kubernetes/pods/podReferences.ts"
import { refusedDocument } from "../../manifests/refusedObjects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { restoreDocuments } from "./previousDocuments.ts"
import { tryToApply } from "../../manifests/applyManifests.ts"
import { withBoundStatus } from "../../kubernetes/storage/volumeWrites.ts"
import type { Draft, Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"
import type { LivePods } from "./previousDocuments.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { ObjectStore } from "../../store/objectStore.ts"
import type { PlayedManifests } from "./playedManifests.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { VolumeClaimDraft, VolumeDraft } from "./assumedVolumes.ts"

interface AcceptedManifests {
  readonly next: ReadonlyArray<ManifestDocument>
  /** Includes workloads that need a refused object. */
  readonly refused: ReadonlyArray<RefusedObject>
}

/**
 * What `kubectl apply` applies of `next`, although it fails for other objects. `unreadable`: refused objects that are
 * not in `next`.
 */
export const acceptManifests =
  (
    { from = [], next }: PlayedManifests,
    {
      livePods,
      unreadable,
      fileNames
    }: {
      readonly livePods: LivePods | undefined
      readonly unreadable: ReadonlyArray<RefusedObject>
      readonly fileNames: ReadonlyArray<string>
    }
  ) =>
  (store: ObjectStore["Service"]): Effect.Effect<AcceptedManifests, ManifestsRefused> =>
    Effect.gen(function* () {
      yield* restoreDocuments(store, from, livePods)
      yield* bindClaims(store, from)
      const problems = yield* tryToApply(store, next)
      if (problems.size + unreadable.length === 0) return { next, refused: [] }
      const invalid = [...problems].map(([document, problem]) => refusedDocument(document, problem))
      const refused = inOrderOfFiles([...unreadable, ...invalid], fileNames)
      const valid = next.filter((document) => !problems.has(document))
      const isNeededBy = makeNeedTest(from, valid)
      const needing = valid.flatMap((document) => {
        const needed = refused.find(isNeededBy(document))
        return needed === undefined ? [] : [{ document, refused: stuckWorkload(document, needed) }]
      })
      const accepted = valid.filter((document) => !needing.some((it) => it.document === document))
      return { next: accepted, refused: [...refused, ...needing.map((it) => it.refused)] }
    })

/** Only bound claims may grow: those of the Pods that run before, or which have a volume. */
const bindClaims = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  from: ReadonlyArray<ManifestDocument>
) {
  const drafts = from.map(({ draft }) => draft)
  const claims = drafts.filter(isClaimDraft)
  const volumes = drafts.filter(isVolumeDraft)
  const used = new Set(claimKeysUsedBy(drafts))
  const reserved = claims.filter((claim) => volumes.some((volume) => isVolumeOfClaim(volume, claim)))
  const keys = new Set([
    ...boundClaimKeys(claims),
    ...claimKeysUsedBy(drafts.filter(runsPods)),
    ...reserved.map(keyOfDraft).filter((key) => used.has(key))
  ])
  for (const claim of claims.filter((it) => keys.has(keyOfDraft(it)))) {
    const ref = { resource: resources.persistentVolumeClaims, key: keyOfDraft(claim) }
    const { requests = {} } = claim.spec.resources ?? {}
    const volume = { spec: { capacity: requests } }
    const bind = (stored: KubeObject): Draft => withBoundStatus(stored as PersistentVolumeClaim, volume)
    yield* Effect.orDie(store.modify(ref, bind, { status: true }))
  }
})

const claimKeysUsedBy = (podOwners: ReadonlyArray<Draft>): ReadonlyArray<Key> => [
  ...podOwners.flatMap(claimsNamedBy).map(({ namespace, name }) => toObjectKey(namespace, name)),
  ...podOwners.flatMap(replicaClaimsOf).map(keyOfDraft)
]

const runsPods = (draft: Draft): boolean => {
  const { replicas, suspend } = fieldsOrEmpty(fieldsOrEmpty(draft)["spec"])
  return replicas !== 0 && suspend !== true
}

const inOrderOfFiles = (
  refused: ReadonlyArray<RefusedObject>,
  fileNames: ReadonlyArray<string>
): ReadonlyArray<RefusedObject> => {
  const place = ({ problem }: RefusedObject): ReadonlyArray<number> => [
    fileNames.indexOf(problem.file),
    problem.document,
    problem.line
  ]
  return refused.toSorted((a, b) => {
    const placeOfB = place(b)
    return place(a).reduce((order, number, index) => order || number - (placeOfB[index] ?? 0), 0)
  })
}

/** Whether Pods of a workload are not created, or do not start, without the refused object. */
const makeNeedTest = (
  from: ReadonlyArray<ManifestDocument>,
  valid: ReadonlyArray<ManifestDocument>
): ((document: ManifestDocument) => (refused: RefusedObject) => boolean) => {
  const draftsBefore = from.map(({ draft }) => draft)
  const classesBefore = draftsBefore
    .flatMap((draft) => (isClaimDraft(draft) ? [draft] : claimTemplatesOf(draft)))
    .map((claim) => requiredStorageClass(storageClassNameOf(claim)))
  const existing = new Set([...existingObjects(from), ...classesBefore].map(requiredObjectText))
  const claimsBefore = claimKeysOf(draftsBefore)
  const given = [...from, ...valid].map(({ draft }) => draft).filter((draft) => !isAssumedDraft(draft))
  const claims = given.filter(isClaimDraft)
  const volumes = given.filter(isVolumeDraft)
  return (document) => {
    if (!isWorkload(document)) return () => false
    const { draft } = document
    const newClaims = claimsOfPodsExcept(claimsBefore, draft, claims)
    const claimsWithVolume = claimKeysWithVolume(draft, claims, volumes)
    const provisionedClaims = claimsOfPodsExcept(
      new Set([...claimsBefore, ...claimsWithVolume]),
      draft,
      claims
    )
    const required = new Set(
      [
        ...objectsAwaitedByPods(draft),
        ...podReferences(draftPodSpec(draft) ?? {}, draft.metadata.namespace ?? ""),
        ...provisionedClaims.map((claim) => requiredStorageClass(storageClassNameOf(claim)))
      ].map(requiredObjectText)
    )
    return (refused) => {
      const object = asRequiredObject(refused)
      if (object === undefined || existing.has(requiredObjectText(object))) return false
      return object.resource === resources.persistentVolumes
        ? newClaims.some((claim) => waitsForVolume(claim, refused, given))
        : required.has(requiredObjectText(object))
    }
  }
}

/** No other volume fits the claim, and no class provisions one. */
const waitsForVolume = (
  claim: VolumeClaimDraft,
  { name, fields }: RefusedObject,
  given: ReadonlyArray<Draft>
): boolean => {
  const { volumeName = "" } = claim.spec
  if (volumeName !== "") return volumeName === name
  const className = storageClassNameOf(claim)
  // Fields of a wrong type have no class and no source.
  const volume = {
    metadata: fieldsOrEmpty(fields["metadata"]),
    spec: fieldsOrEmpty(fields["spec"])
  } as unknown as VolumeDraft
  return (
    namesStorageClass(claim) &&
    isStaticVolumeOfClass(volume, className) &&
    (volume.spec.claimRef === undefined || isVolumeOfClaim(volume, claim)) &&
    !given.some((draft) => isProvisioningClass(draft) && draft.metadata.name === className) &&
    !hasFittingVolume(claim, given.filter(isVolumeDraft))
  )
}

const isProvisioningClass = (draft: Draft): boolean =>
  draft.kind === "StorageClass" && fieldsOrEmpty(draft)["provisioner"] !== noProvisioner

const stuckWorkload = (document: ManifestDocument, { kind, name }: RefusedObject): RefusedObject => ({
  ...refusedDocument(document, documentProblem(document, `its Pods need ${kind}/${name}, which is refused`)),
  verdict: "stuck"
})
