import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Kind } from "../meta/kinds.ts"
import type { Annotations, Draft } from "../meta/objects.ts"
import {
  forbiddenField,
  immutableField,
  invalidField,
  concatLists,
  noErrors,
  validateNonNegative,
  requiredValue,
  valueTooLong,
  type FieldError,
  type FieldErrors
} from "./fieldErrors.ts"
import { validateLabels } from "./validateLabels.ts"
import {
  labelProblems,
  maskTrailingDash,
  nameRuleOf,
  qualifiedNameProblems,
  memoizeLastValid,
  memoizeValidNames
} from "./nameRules.ts"
import type { ShallowPartial } from "./partialTypes.ts"
import { memoizeCheck } from "./memoizeCheck.ts"
import { goQuote } from "../meta/text/goQuote.ts"

/** Source: objectmeta.go. */
type MetaDraft = Draft["metadata"]

/** The limit is for keys and values together. */
const annotationBytesMax = 256 * 1024

export const validateMetadata = (kind: Kind, metadata: MetaDraft): FieldErrors =>
  concatLists(validateNames(kind, metadata), validateMetadataFields(kind, metadata))

const validateNames = (kind: Kind, metadata: MetaDraft): FieldErrors => {
  const { name = "", generateName = "", namespace = "" } = metadata
  const rule = nameRuleOf(kind)
  const errors: Array<FieldError> = []
  if (generateName !== "") {
    for (const problem of rule(maskTrailingDash(generateName))) {
      errors.push(invalidField("metadata.generateName", generateName, problem))
    }
  }
  if (name !== "") for (const problem of rule(name)) errors.push(invalidField("metadata.name", name, problem))
  else if (generateName === "")
    errors.push(requiredValue("metadata.name", "name or generateName is required"))
  if (!kind.namespaced) {
    if (namespace !== "") errors.push(forbiddenField("metadata.namespace", "not allowed on this type"))
  } else if (namespace === "") errors.push(requiredValue("metadata.namespace"))
  else
    for (const problem of namespaceProblems(namespace))
      errors.push(invalidField("metadata.namespace", namespace, problem))
  return errors
}

const namespaceProblems = memoizeLastValid(labelProblems)

const validateMetadataFields = (kind: Kind, metadata: MetaDraft): FieldErrors => {
  const { generation, labels, annotations, ownerReferences, finalizers } = metadata
  let errors = validateNonNegative("metadata.generation", generation)
  errors = concatLists(errors, validateLabels(labels, "metadata.labels"))
  errors = concatLists(errors, validateAnnotations(annotations, "metadata.annotations"))
  if (ownerReferences !== undefined)
    errors = concatLists(errors, validateOwnerReferences(ownerReferences, "metadata.ownerReferences"))
  return finalizers === undefined ? errors : concatLists(errors, validateFinalizers(kind, finalizers))
}

export const validateAnnotations = (annotations: Annotations | undefined, path: string): FieldErrors =>
  annotations === undefined ? noErrors : checkAnnotations(annotations, path)

const checkAnnotations = memoizeCheck((annotations: Annotations, path) => {
  const errors: Array<FieldError> = []
  let codeUnits = 0
  for (const [key, value] of Object.entries(annotations)) {
    codeUnits += key.length + value.length
    for (const problem of annotationKeyProblems(key)) errors.push(invalidField(path, key, problem))
  }
  // A UTF-16 code unit has at most three bytes in UTF-8, so most annotations need no exact count.
  if (codeUnits * 3 > annotationBytesMax && bytesOf(annotations) > annotationBytesMax)
    errors.push(valueTooLong(path, annotationBytesMax))
  return errors
})

const memoizedKeysMax = 1000

/** Unlike label keys, annotation keys may have upper-case prefixes. Many objects share the same few keys. */
const annotationKeyProblems = memoizeValidNames(
  (key = "") => qualifiedNameProblems(key.toLowerCase()),
  memoizedKeysMax
)

const encoder = new TextEncoder()
const byteLength = (text: string): number => encoder.encode(text).length
const bytesOf = (annotations: Annotations): number =>
  Object.entries(annotations).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)

const apiVersionShape = /^(?:[^/]*\/)?[^/]+$/

const validateOwnerReferences = memoizeCheck(
  (owners: ReadonlyArray<ShallowPartial<OwnerReference>>, path) => {
    const errors: Array<FieldError> = []
    let controller: string | undefined
    for (const owner of owners) {
      const { apiVersion = "", kind = "", name = "", uid = "" } = owner
      if (!apiVersionShape.test(apiVersion)) {
        errors.push(invalidField(`${path}.apiVersion`, apiVersion, "version must not be empty"))
      }
      for (const [field, value] of Object.entries({ kind, name, uid })) {
        if (value === "") errors.push(invalidField(`${path}.${field}`, value, "must not be empty"))
      }
      if (apiVersion === "v1" && kind === "Event") {
        errors.push(invalidField(path, owner, "/v1, Kind=Event is disallowed from being an owner"))
      }
      if (owner.controller !== true) continue
      const ownerText = `${kind}/${name}`
      if (controller !== undefined)
        errors.push(invalidField(path, owners, twoControllersMessage(controller, ownerText)))
      else controller = ownerText
    }
    return errors
  }
)

const twoControllersMessage = (first: string, second: string): string =>
  `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`

const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"])

export const validateFinalizerName = (finalizer: string, path: string): FieldErrors =>
  finalizer.includes("/") || standardFinalizers.has(finalizer)
    ? noErrors
    : [invalidField(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified")]

/** Custom resources and their definitions may have finalizers without a domain. */
const validateFinalizers = (kind: Kind, finalizers: ReadonlyArray<string>): FieldErrors => {
  const path = "metadata.finalizers"
  const errors: Array<FieldError> = []
  for (const finalizer of finalizers) {
    for (const problem of qualifiedNameProblems(finalizer))
      errors.push(invalidField(path, finalizer, problem))
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(invalidField(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"))
  }
  if (kind.custom !== undefined || kind.group === "apiextensions.k8s.io") return errors
  for (const [index, finalizer] of finalizers.entries()) {
    errors.push(...validateFinalizerName(finalizer, `${path}[${index}]`))
  }
  return errors
}

const immutableFields = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] as const

/** An update may omit these fields: the stored values stay. */
const omittableFields: ReadonlySet<string> = new Set(["uid", "creationTimestamp", "deletionTimestamp"])

export const validateMetadataUpdate = (kind: Kind, metadata: MetaDraft, old: MetaDraft): FieldErrors => {
  if (metadata === old) return noErrors
  const errors: Array<FieldError> = []
  if (old.deletionTimestamp !== undefined) errors.push(...validateNoNewFinalizers(metadata, old))
  const { generation = Infinity } = metadata
  if (generation < (old.generation ?? 0)) {
    errors.push(invalidField("metadata.generation", generation, "must not be decremented"))
  }
  for (const field of immutableFields) {
    const value = metadata[field]
    if (value === old[field] || (value === undefined && omittableFields.has(field))) continue
    errors.push(immutableField(`metadata.${field}`, value ?? ""))
  }
  const seconds = metadata.deletionGracePeriodSeconds
  if (seconds !== undefined && seconds !== old.deletionGracePeriodSeconds) {
    errors.push(immutableField("metadata.deletionGracePeriodSeconds", seconds))
  }
  return concatLists(errors, validateMetadataFields(kind, metadata))
}

const validateNoNewFinalizers = (metadata: MetaDraft, old: MetaDraft): FieldErrors => {
  const oldFinalizers = new Set(old.finalizers)
  const added = [...new Set(metadata.finalizers)].filter((finalizer) => !oldFinalizers.has(finalizer)).sort()
  if (added.length === 0) return noErrors
  // Go syntax, although other values are JSON.
  const list = `[]string{${added.map((finalizer) => goQuote(finalizer)).join(", ")}}`
  const reason = "no new finalizers can be added if the object is being deleted, found new finalizers"
  return [forbiddenField("metadata.finalizers", `${reason} ${list}`)]
}
