import { matchesSelector } from "../domain/selectors.ts"
import { parseSelectorText } from "../domain/selectorText.ts"
import { parseFieldSelector } from "../domain/fieldSelectors.ts"
import { badRequest } from "./statuses.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { ApiCall } from "./call.ts"

interface Selection {
  readonly matches: (object: KubeObject) => boolean
  readonly isSelective: boolean
}

/** Reads namespace, name and selectors of a list or watch. */
export const readListSelection = ({ target, query }: Pick<ApiCall, "target" | "query">): Selection => {
  const { namespace, name, kind } = target
  const labelText = query.text("labelSelector")
  const fieldText = query.text("fieldSelector")
  const labelResult = labelText === undefined ? undefined : parseSelectorText(labelText)
  if (labelResult?.ok === false) throw badRequest(labelResult.problem)
  const labels = labelResult?.selector
  const fieldResult = fieldText === undefined ? undefined : parseFieldSelector(fieldText, kind)
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
