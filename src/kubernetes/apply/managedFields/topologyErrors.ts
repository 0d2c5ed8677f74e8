import { isFields } from "../../meta/fields.ts"
import { pathElementOf } from "./ownableParts.ts"
import { fieldElement, pathElementsText } from "./pathElements.ts"
import { partTopology, type OwnershipTopology } from "./ownershipTopology.ts"
import type { FieldPath, PathElement } from "./fieldSet.ts"

/** Source: sigs.k8s.io/structured-merge-diff/typed/validate.go. */
export const topologyErrors = (
  topology: OwnershipTopology,
  value: unknown,
  path: FieldPath = []
): ReadonlyArray<string> => {
  if (path.length > pathLengthMax) return [`${pathElementsText(path.slice(0, 3))}…: nested too deeply`]
  if (topology.type === "listMap" || topology.type === "set") {
    return Array.isArray(value) ? listErrors(topology, value, path) : []
  }
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([field, item]) => {
    const element = fieldElement(field)
    const elementPath = [...path, element]
    const isUnknown =
      topology.type === "struct" && topology.undeclared === undefined && !topology.fields.has(field)
    if (isUnknown) return [`${pathElementsText(elementPath)}: field not declared in schema`]
    return topologyErrors(partTopology(topology, element).topology, item, elementPath)
  })
}

const pathLengthMax = 500

const listErrors = (
  topology: OwnershipTopology,
  list: ReadonlyArray<unknown>,
  path: FieldPath
): ReadonlyArray<string> => {
  const errors: Array<string> = []
  const elements = new Set<PathElement>()
  for (const [index, item] of list.entries()) {
    const problem = elementProblem(topology, item)
    if (problem !== undefined) return [...errors, `${pathElementsText(path)}: element ${index}: ${problem}`]
    const element = pathElementOf(topology, item)
    if (elements.has(element)) {
      errors.push(`${pathElementsText(path)}: duplicate entries for key ${pathElementsText([element])}`)
    } else {
      errors.push(...topologyErrors(partTopology(topology, element).topology, item, [...path, element]))
    }
    elements.add(element)
  }
  return errors
}

const elementProblem = ({ type }: OwnershipTopology, item: unknown): string | undefined => {
  if (type === "listMap") {
    return isFields(item) ? undefined : "associative list with keys may not have non-map elements"
  }
  if (Array.isArray(item)) return "not supported: associative list with lists as elements"
  if (item === null) return "associative list without keys has an element that's an explicit null"
  return isFields(item) ? "associative list without keys has an element that's a map type" : undefined
}
