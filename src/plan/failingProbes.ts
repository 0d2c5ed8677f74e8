import { failingCommandOf, missingProgramOf } from "./seeds/briefCommand.ts"
import {
  probeFields,
  probesUndeclaredPortName,
  undeclaredProbePorts
} from "../kubernetes/pods/containers/probePorts.ts"
import { scriptOrCommand } from "../kubernetes/pods/containers/shellScripts.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ProbeField } from "../kubernetes/pods/containers/probePorts.ts"

export interface FailingProbe {
  readonly field: ProbeField
  /** `readinessProbe of container "app" asks port "web", which it does not declare` */
  readonly text: string
  /** Whether the kubelet cannot ask at all: the result from before holds, which is success for a liveness probe. */
  readonly isErrored: boolean
}

/** Probes that never pass, if the manifest shows that. */
export const failingProbesOf = (container: Core.Container): ReadonlyArray<FailingProbe> =>
  probeFields.flatMap((field) => {
    const why = whyProbeErrs(container, field)
    const text = why ?? whyProbeFails(container, field)
    return text === undefined
      ? []
      : [
          {
            field,
            text: `${field} of container ${JSON.stringify(container.name)} ${text}`,
            isErrored: why !== undefined
          }
        ]
  })

/** A container that has to end need not be ready, and ends although its startup probe cannot be asked. */
export const blockingProbesOf = (
  failingProbes: ReadonlyArray<FailingProbe>,
  { hasToEnd }: { readonly hasToEnd: boolean }
): ReadonlyArray<FailingProbe> =>
  failingProbes.filter(({ field, isErrored }) =>
    hasToEnd ? field !== "readinessProbe" && !isErrored : !(field === "livenessProbe" && isErrored)
  )

/** Source: pkg/kubelet/prober/worker.go (doProbe), which throws the result of such a probe away. */
const whyProbeErrs = (container: Core.Container, field: ProbeField): string | undefined => {
  if (probesUndeclaredPortName(container, field)) {
    const port = undeclaredProbePorts(container).find((probe) => probe.field === field)?.port
    return `asks port ${JSON.stringify(port)}, which it does not declare`
  }
  const program = missingProgramOf(container[field]?.exec?.command ?? [])
  return program === undefined
    ? undefined
    : `has no program ${JSON.stringify(program)}: each argument is an item of its own in command`
}

const whyProbeFails = (container: Core.Container, field: ProbeField): string | undefined => {
  const { exec: { command = [] } = {}, timeoutSeconds = 1 } = container[field] ?? {}
  const failingCommand = failingCommandOf({ name: container.name, command })
  if (failingCommand !== undefined) return `runs ${JSON.stringify(failingCommand.script)}, which fails`
  const text = scriptOrCommand(command)
  const [, seconds] = /^\s*(?:(?:\/usr)?\/bin\/)?sleep\s+(\d+)\b(?!\s*&(?!&))/u.exec(text) ?? []
  return Number(seconds) > timeoutSeconds
    ? `runs ${JSON.stringify(text)}, which takes longer than timeoutSeconds: ${timeoutSeconds}`
    : undefined
}
