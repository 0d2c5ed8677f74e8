import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { parseSelectorText } from "../../kubernetes/meta/selectors/labelSelectorText.ts"
import { parseFieldSelector } from "../../kubernetes/meta/selectors/fieldSelectors.ts"
import { badRequest } from "../http/statuses.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ApiCall } from "./apiCall.ts"

interface Selection {
  readonly matches: (object: KubeObject) => boolean
  readonly hasSelector: boolean
}

export const readListSelection = ({ target, query }: Pick<ApiCall, "target" | "query">): Selection => {
  const { namespace, name, kind } = target
  // Upstream decodes it with the other options, although only watches use it.
  query.integer("timeoutSeconds")
  const labelText = query.text("labelSelector")
  const fieldText = query.text("fieldSelector")
  const labelResult = labelText === undefined ? undefined : parseSelectorText(labelText)
  if (labelResult?.ok === false) throw badRequest(labelResult.problem)
  const labels = labelResult?.selector
  const fieldResult = fieldText === undefined ? undefined : parseFieldSelector(fieldText, kind)
  if (fieldResult?.ok === false) throw badRequest(fieldResult.problem)
  const fields = fieldResult?.selector
  return {
    hasSelector: labels !== undefined || fields !== undefined,
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      (labels === undefined || matchesSelector(labels, object.metadata.labels)) &&
      (fields === undefined || fields(object))
  }
}
