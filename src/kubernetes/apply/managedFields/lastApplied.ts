import { isFields, type Fields } from "../../meta/fields.ts"
import type { Kind } from "../../meta/kinds.ts"
import { lastAppliedAnnotation } from "../patches/threeWayMerge.ts"
import { compareFields, configuredFields } from "./compareFields.ts"
import { fieldSetDifference, type FieldSet } from "./fieldSet.ts"
import { compareTexts } from "../../meta/text/compareTexts.ts"
import { parseJsonOrUndefined } from "./pathElements.ts"
import { ownershipTopologyOf } from "./ownershipTopology.ts"

/**
 * Migration from client-side to server-side apply. Source:
 * apimachinery/pkg/util/managedfields/internal (lastappliedmanager.go, lastappliedupdater.go).
 */

export const isKubectlManager = (manager: string): boolean => manager === "kubectl"

/** The fields that kubectl applied and that still have the applied values. */
export const kubectlAppliedFields = (kind: Kind, live: Fields): FieldSet => {
  const lastApplied = parseJsonOrUndefined(String(annotationsOf(live)[lastAppliedAnnotation]))
  const topology = ownershipTopologyOf(kind)
  const { changed, removed } = compareFields(topology, lastApplied, live)
  return fieldSetDifference(fieldSetDifference(configuredFields(topology, lastApplied), changed), removed)
}

/** An object without the annotation stays unchanged. */
export const withUpdatedLastApplied = (object: Fields, applied: Fields): Fields => {
  const annotations = annotationsOf(object)
  if (!Object.hasOwn(annotations, lastAppliedAnnotation)) return object
  const text = `${sortedJson(withoutLastApplied(applied))}\n`
  if (annotations[lastAppliedAnnotation] === text) return object
  const metadata = isFields(object["metadata"]) ? object["metadata"] : {}
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: text } }
  }
}

const annotationsOf = ({ metadata }: Fields): Fields => {
  const annotations = isFields(metadata) ? metadata["annotations"] : undefined
  return isFields(annotations) ? annotations : {}
}

const withoutLastApplied = (applied: Fields): Fields => {
  const { [lastAppliedAnnotation]: _own, ...annotations } = annotationsOf(applied)
  const { annotations: _all, ...metadata } = isFields(applied["metadata"]) ? applied["metadata"] : {}
  const rest = Object.keys(annotations).length === 0 ? {} : { annotations }
  return { ...applied, metadata: { ...metadata, ...rest } }
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    isFields(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => compareTexts(a, b)))
      : item
  )
