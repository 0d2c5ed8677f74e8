import { isGenerationObserved } from "../../kubernetes/meta/observedGeneration.ts"
import type { ObservableObject } from "../../kubernetes/meta/observedGeneration.ts"

export const unobservedSentences = (workload: ObservableObject): ReadonlyArray<string> =>
  isGenerationObserved(workload)
    ? []
    : [
        (workload.status.observedGeneration ?? 0) === 0
          ? "Its controller has not seen it yet, or does not run."
          : "Its controller has not seen its present spec yet, or does not run: its status is of an earlier one."
      ]
