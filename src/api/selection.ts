import { matchesSelector } from "../domain/selectors.ts"
import { readSelectorText } from "../domain/selectorText.ts"
import { readFieldSelector } from "../domain/fieldSelectors.ts"
import { badRequest } from "./statuses.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { Call } from "./call.ts"

interface Selection {
  readonly matches: (object: KubeObject) => boolean
  readonly isSelective: boolean
}

/** Reads namespace, name and selectors of a list or watch. */
export const readSelection = ({ target, query }: Pick<Call, "target" | "query">): Selection => {
  const { namespace, name, kind } = target
  const labelText = query.text("labelSelector")
  const fieldText = query.text("fieldSelector")
  const labelResult = labelText === undefined ? undefined : readSelectorText(labelText)
  if (labelResult?.ok === false) throw badRequest(labelResult.problem)
  const labels = labelResult?.selector
  const fieldResult = fieldText === undefined ? undefined : readFieldSelector(fieldText, kind)
  if (fieldResult?.ok === false) throw badRequest(fieldResult.problem)
  const fields = fieldResult?.selector
  return {
    isSelective: labels !== undefined || fields !== undefined,
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      (labels === undefined || matchesSelector(labels, object.metadata.labels)) &&
      (fields === undefined || fields(object))
  }
}
