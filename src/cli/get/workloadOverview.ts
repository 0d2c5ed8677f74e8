import { ageJson, podJson } from "./podJson.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { drawTree } from "../tree/drawTree.ts"
import { objectsView } from "../tree/objectsView.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { workloadVerdictText } from "../../explain/health/workloadVerdict.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import { wrapLine } from "../terminal/wrapLine.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectExplanation } from "../../explain/remote/explainers.ts"
import type { Palette } from "../terminal/palette.ts"
import type { WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"

export const workloadOverviewLines = (
  resource: WorkloadResource,
  { object, pods = [], stateExplanation, verdict, nowMillis }: ObjectExplanation,
  { palette, width }: { readonly palette: Palette; readonly width: number }
): ReadonlyArray<string> => {
  const verdictLines = verdict === undefined ? [] : [workloadVerdictText(verdict)]
  const [title = "", ...reasons] = [...verdictLines, ...stateExplanation.sentences]
  const view = objectsView(
    new Map<string, ReadonlyArray<KubeObject>>([
      [resource, [object]],
      [resources.pods, pods]
    ])
  )
  return [
    ...wrapLine(title, width).map(palette.strong),
    ...reasons.flatMap((line) => wrapLine(line, width)),
    "",
    ...drawTree({ view, nowMillis, palette, width })
  ]
}

export const workloadJson = (
  resource: WorkloadResource,
  { kind, object, pods = [], stateExplanation, verdict, nowMillis }: ObjectExplanation
): object => {
  const { name, namespace, uid, generation } = object.metadata
  return {
    at: timestampOf(nowMillis),
    [kind]: { name, namespace, uid, generation, ...ageJson(object, nowMillis) },
    verdict,
    state: stateExplanation.state,
    message: workloadStatus(resource, object).message,
    numbers: stateExplanation.numbers,
    pods: [...pods].sort(compareByCreation).map((pod) => podJson(pod, nowMillis))
  }
}
