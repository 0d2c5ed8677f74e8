import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** Said of a workload whose status is about an earlier `spec`, or about none. */
export const unobservedSentences = ({
  metadata: { generation = 0 },
  status: { observedGeneration = 0 }
}: KubeObject & { readonly status: { readonly observedGeneration?: number } }): ReadonlyArray<string> =>
  observedGeneration >= generation
    ? []
    : [
        observedGeneration === 0
          ? "Its controller has not seen it yet, or does not run."
          : "Its controller has not seen its present spec yet, or does not run: its status is of an earlier one."
      ]
