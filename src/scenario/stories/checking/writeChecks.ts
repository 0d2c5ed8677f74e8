import { isFields, type Fields } from "../../../kubernetes/meta/fields.ts"
import { groupResourceOf, resources } from "../../../kubernetes/meta/kinds.ts"
import { objectNameText, parseObjectName } from "../../conditions/objectName.ts"
import type { DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"
import type { KnownObjects } from "./knownObjects.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"
import type { NamedObject } from "../../conditions/objectName.ts"
import type { StoryWrite } from "../story.ts"

const targetFields = ["patch", "scale", "setImage", "pause", "resume", "undo", "delete"] as const

/** Undefined for `apply`, which may write several objects. */
export const writeTarget = (
  step: StoryWrite
): { readonly action: (typeof targetFields)[number]; readonly name: string } | undefined => {
  for (const action of targetFields) {
    const name = fieldsOf(step)[action]
    if (typeof name === "string") return { action, name }
  }
  return undefined
}

/** TypeScript cannot index the union of steps by field. */
const fieldsOf = (step: object): Fields => ({ ...step })

export const writeFindings = (
  {
    step,
    isValid
  }: { readonly step: StoryWrite & { readonly expectRefused?: string }; readonly isValid: boolean },
  path: DocumentPath,
  stepNumber: number,
  knownObjects: KnownObjects
): ReadonlyArray<SchemaFinding> => {
  const target = writeTarget(step)
  if (target === undefined) return []
  const toFindings = (message: string, offset = 0): ReadonlyArray<SchemaFinding> => [
    { path: [...path, target.action], message, fieldPart: "value", offset }
  ]
  const object = parseObjectName(target.name)
  if ("message" in object) return toFindings(object.message, object.offset)
  const refusal = unsupportedReason(target.action, object)
  const isRefusalExpected = step.expectRefused !== undefined
  if (refusal !== undefined) return isRefusalExpected ? [] : toFindings(`can never happen: ${refusal}`)
  const missingReason = knownObjects.whyMissing(object)
  if (missingReason !== undefined)
    return isRefusalExpected ? [] : toFindings(`can never happen: ${missingReason}`)
  const imageFindings =
    isValid && "setImage" in step && !isRefusalExpected
      ? containerFindings(step.images, object, path, knownObjects)
      : []
  if (isRefusalExpected) return imageFindings
  if (target.action === "delete") knownObjects.remove(object, stepNumber)
  if (target.action === "patch") knownObjects.markChanged(object)
  const undoProblems =
    isValid && "undo" in step ? undoFindings(step.toRevision, object, path, knownObjects) : []
  if (revisingActions.has(target.action)) knownObjects.addRevision(object)
  return [...imageFindings, ...undoProblems]
}

/** The revision of `apply` is counted when its manifest is added. */
const revisingActions: ReadonlySet<string> = new Set(["patch", "setImage", "undo"])

/** Each change of the Pod template, undo included, adds at most one revision. */
const undoFindings = (
  toRevision: number | undefined,
  object: NamedObject,
  path: DocumentPath,
  knownObjects: KnownObjects
): ReadonlyArray<SchemaFinding> => {
  const revisionsMax = knownObjects.revisionsMax(object)
  if (revisionsMax === undefined || revisionsMax >= (toRevision ?? 2)) return []
  const neverHappens = (message: string, field: string): ReadonlyArray<SchemaFinding> => [
    { path: [...path, field], message: `can never happen: ${message}`, fieldPart: "value" }
  ]
  if (toRevision === undefined)
    return neverHappens(`nothing changes the template of ${objectNameText(object)} before this`, "undo")
  const revisionsText =
    revisionsMax === 1 ? "has revision 1 alone" : `has revisions 1 to ${revisionsMax} at the most`
  return neverHappens(`${objectNameText(object)} ${revisionsText} by then`, "toRevision")
}

const kindsWithContainers: ReadonlySet<string> = new Set([
  resources.deployments,
  resources.statefulSets,
  resources.daemonSets,
  resources.replicaSets,
  resources.pods
])

/** Source: kubectl/pkg/polymorphichelpers/rollback.go (RollbackVisitor). */
const undoableResources: ReadonlySet<string> = new Set([
  resources.deployments,
  resources.statefulSets,
  resources.daemonSets
])

const unsupportedReason = (
  action: (typeof targetFields)[number],
  { kind, resource, name }: NamedObject
): string | undefined => {
  const isDeployment = resource === resources.deployments
  const object = `${groupResourceOf(kind)} ${JSON.stringify(name)}`
  switch (action) {
    case "pause":
      return isDeployment ? undefined : `${object} pausing is not supported`
    case "resume":
      return isDeployment ? undefined : `${object} resuming is not supported`
    case "undo":
      return undoableResources.has(resource)
        ? undefined
        : `no rollbacker has been implemented for ${JSON.stringify(kind.kind)}`
    case "scale":
      return kind.subresources.some((it) => it.name === "scale")
        ? undefined
        : `a ${kind.singular} has no scale: ${object} cannot be scaled`
    case "setImage":
      return kindsWithContainers.has(resource) ? undefined : `a ${kind.singular} has no containers`
    default:
      return undefined
  }
}

const containerFindings = (
  images: Readonly<Record<string, string>>,
  object: NamedObject,
  path: DocumentPath,
  knownObjects: KnownObjects
): ReadonlyArray<SchemaFinding> => {
  const manifest = knownObjects.manifestOf(object)
  const names = manifest === undefined ? undefined : manifestPodTemplate(manifest).containers
  return Object.entries(images).flatMap(([container, image]): ReadonlyArray<SchemaFinding> => {
    const imagePath = [...path, "images", container]
    if (image === "") return [{ path: imagePath, message: "must not be empty", fieldPart: "value" }]
    if (names === undefined || names.includes(container) || container === "*") return []
    const notFoundText = `unable to find container named ${JSON.stringify(container)}`
    return [
      {
        path: imagePath,
        message: `${notFoundText}: ${objectNameText(object)} has ${names.join(", ")}`,
        fieldPart: "name"
      }
    ]
  })
}

/** The template of a Pod, or of a workload's Pods, is at `path`. */
export const manifestPodTemplate = ({
  kind,
  draft
}: ManifestDocument): {
  readonly containers: ReadonlyArray<string>
  readonly annotations: Readonly<Record<string, string>>
  readonly path: DocumentPath
} => {
  const isPod = groupResourceOf(kind) === resources.pods
  const rawSpec: unknown = "spec" in draft ? draft.spec : undefined
  const spec = isFields(rawSpec) ? rawSpec : {}
  const template = isPod
    ? { metadata: draft.metadata, spec }
    : isFields(spec["template"])
      ? spec["template"]
      : {}
  const podSpec = isFields(template.spec) ? template.spec : {}
  const metadata: unknown = template.metadata
  const annotations = isFields(metadata) && isFields(metadata["annotations"]) ? metadata["annotations"] : {}
  return {
    containers: [podSpec["initContainers"], podSpec["containers"]].flatMap((list) =>
      Array.isArray(list) ? list.flatMap((it: unknown) => (isFields(it) ? [String(it["name"])] : [])) : []
    ),
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [name, String(value)])
    ),
    path: isPod ? [] : ["spec", "template"]
  }
}
