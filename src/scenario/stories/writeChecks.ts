import { isFields, type Fields } from "../../domain/fields.ts"
import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { nameOf, objectNamed } from "../conditions/objectName.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Finding } from "../../behaviours/findings.ts"
import type { KnownObjects } from "./knownObjects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { NamedObject } from "../conditions/objectName.ts"
import type { Write } from "./story.ts"

const targets = ["patch", "scale", "setImage", "pause", "resume", "undo", "delete"] as const

/** The object that a step writes to, and the field that names it; undefined for one that applies manifests. */
export const targetOf = (
  step: Write
): { readonly deed: (typeof targets)[number]; readonly name: string } | undefined => {
  for (const deed of targets) {
    const name = fieldsOf(step)[deed]
    if (typeof name === "string") return { deed, name }
  }
  return undefined
}

/** Whatever deed it is, a step is a map of fields. */
const fieldsOf = (step: object): Fields => ({ ...step })

/** What can never succeed of what a step writes. */
export const writeFindings = (
  {
    step,
    isSound
  }: { readonly step: Write & { readonly expectRefused?: string }; readonly isSound: boolean },
  path: FieldPath,
  number: number,
  known: KnownObjects
): ReadonlyArray<Finding> => {
  const target = targetOf(step)
  if (target === undefined) return []
  const at = (message: string, offset = 0): ReadonlyArray<Finding> => [
    { path: [...path, target.deed], message, aim: "value", offset }
  ]
  const object = objectNamed(target.name)
  if ("message" in object) return at(object.message, object.offset)
  const refused = refusalOf(target.deed, object)
  const isExpected = step.expectRefused !== undefined
  if (refused !== undefined) return isExpected ? [] : at(`can never happen: ${refused}`)
  const missing = known.whyMissing(object)
  if (missing !== undefined) return isExpected ? [] : at(`can never happen: ${missing}`)
  const wrong =
    isSound && "setImage" in step && !isExpected ? containerFindings(step.images, object, path, known) : []
  if (isExpected) return wrong
  if (target.deed === "delete") known.remove(object, number)
  if (target.deed === "patch") known.change(object)
  const undone = isSound && "undo" in step ? undoFindings(step.toRevision, object, path, known) : []
  if (revising.has(target.deed)) known.revise(object)
  return [...wrong, ...undone]
}

/** What gives a rollout another template. */
const revising: ReadonlySet<string> = new Set(["patch", "setImage", "undo"])

/** Every change of the template is one revision more, and so is going back. */
const undoFindings = (
  toRevision: number | undefined,
  object: NamedObject,
  path: FieldPath,
  known: KnownObjects
): ReadonlyArray<Finding> => {
  const most = known.revisionsMost(object)
  if (most === undefined || most >= (toRevision ?? 2)) return []
  const tell = (message: string, field: string): ReadonlyArray<Finding> => [
    { path: [...path, field], message: `can never happen: ${message}`, aim: "value" }
  ]
  if (toRevision === undefined)
    return tell(`nothing changes the template of ${nameOf(object)} before this`, "undo")
  const which = most === 1 ? "has revision 1 alone" : `has revisions 1 to ${most} at the most`
  return tell(`${nameOf(object)} ${which} by then`, "toRevision")
}

/** The kinds that can be scaled, paused and so on, and what kubectl says of others. */
const refusalOf = (
  deed: (typeof targets)[number],
  { kind, resource, name }: NamedObject
): string | undefined => {
  const isDeployment = resource === resources.deployments
  const object = `${groupResourceOf(kind)} ${JSON.stringify(name)}`
  switch (deed) {
    case "pause":
      return isDeployment ? undefined : `${object} pausing is not supported`
    case "resume":
      return isDeployment ? undefined : `${object} resuming is not supported`
    case "undo":
      return isDeployment ? undefined : `no rollbacker has been implemented for ${JSON.stringify(kind.kind)}`
    case "scale":
      return kind.subresources.some((it) => it.name === "scale")
        ? undefined
        : `a ${kind.singular} has no scale: ${object} cannot be scaled`
    case "setImage":
      return isDeployment || resource === resources.replicaSets || resource === resources.pods
        ? undefined
        : `a ${kind.singular} has no containers`
    default:
      return undefined
  }
}

const containerFindings = (
  images: Readonly<Record<string, string>>,
  object: NamedObject,
  path: FieldPath,
  known: KnownObjects
): ReadonlyArray<Finding> => {
  const manifest = known.manifestOf(object)
  const names = manifest === undefined ? undefined : podSpecOf(manifest).containers
  return Object.entries(images).flatMap(([container, image]): ReadonlyArray<Finding> => {
    const below = [...path, "images", container]
    if (image === "") return [{ path: below, message: "must not be empty", aim: "value" }]
    if (names === undefined || names.includes(container) || container === "*") return []
    const found = `unable to find container named ${JSON.stringify(container)}`
    return [{ path: below, message: `${found}: ${nameOf(object)} has ${names.join(", ")}`, aim: "name" }]
  })
}

/** The containers of a manifest that has Pods or makes them, its template's annotations, and where those stand. */
export const podSpecOf = ({
  kind,
  draft
}: ManifestDocument): {
  readonly containers: ReadonlyArray<string>
  readonly annotations: Readonly<Record<string, string>>
  readonly below: FieldPath
} => {
  const isPod = groupResourceOf(kind) === resources.pods
  const own: unknown = "spec" in draft ? draft.spec : undefined
  const spec = isFields(own) ? own : {}
  const template = isPod
    ? { metadata: draft.metadata, spec }
    : isFields(spec["template"])
      ? spec["template"]
      : {}
  const inner = isFields(template.spec) ? template.spec : {}
  const metadata: unknown = template.metadata
  const annotations = isFields(metadata) && isFields(metadata["annotations"]) ? metadata["annotations"] : {}
  return {
    containers: [inner["initContainers"], inner["containers"]].flatMap((list) =>
      Array.isArray(list) ? list.flatMap((it: unknown) => (isFields(it) ? [String(it["name"])] : [])) : []
    ),
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [name, String(value)])
    ),
    below: isPod ? [] : ["spec", "template"]
  }
}
