import { killingProbe } from "../../kubernetes/pods/containers/probes.ts"
import { formatSeconds, podSpecChange } from "./proposal.ts"
import { timesText } from "../../kubernetes/meta/text/countText.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { KillingProbe } from "../../kubernetes/pods/containers/probes.ts"
import type { Proposal } from "./proposal.ts"
import type * as Core from "kubernetes-types/core/v1.js"

/** Source: pkg/kubelet/prober/worker.go (doProbe). */
export const probeAdvice = (
  deployment: Deployment,
  /** From running until the first answer of the slowest container with each image. */
  answerMillisByImage: ReadonlyMap<string, number>,
  /**
   * Without this option, a liveness probe that asks something else than the readiness probe is left out: it may be
   * answered earlier than `answerMillisByImage` says.
   */
  options: { readonly includesOtherRequests?: boolean } = {}
): Proposal | undefined => {
  for (const container of deployment.spec.template.spec?.containers ?? []) {
    const advice = containerAdvice(container, killingProbe(container, options), {
      answerMillis: answerMillisByImage.get(container.image ?? "") ?? 0
    })
    if (advice !== undefined)
      return {
        text: advice.text,
        change: podSpecChange(deployment, { containers: [{ name: container.name, ...advice.fields }] }),
        // A remark also stands beside a rollout that is complete: the kubelet may end a container afterwards.
        remark: advice.remark
      }
  }
  return undefined
}

interface ProbeChange {
  readonly text: string
  readonly remark: string
  readonly fields: Partial<Core.Container>
}

/** `answerMillis`: from the container's start until its first answer. */
const containerAdvice = (
  container: Core.Container,
  probe: KillingProbe | undefined,
  { answerMillis }: { readonly answerMillis: number }
): ProbeChange | undefined => {
  if (probe === undefined) return undefined
  const { field, earliestKillMillis, latestKillMillis } = probe
  if (earliestKillMillis >= answerMillis) return undefined
  const { initialDelayMillis, periodMillis, failureThreshold } = probe.timing
  const wantedThreshold = Math.ceil((answerMillis * marginFactor) / periodMillis) + 1
  const request = field === "livenessProbe" ? requestOf(container.livenessProbe) : undefined
  const timing = { periodSeconds: periodMillis / 1000, ...request?.timing }
  const timingText = Object.entries(timing)
    .map(([name, seconds]) => `${name}: ${seconds}`)
    .join(", ")
  const changeText =
    request === undefined
      ? `Say failureThreshold: ${wantedThreshold}`
      : `Say a startupProbe that asks for the same, with ${timingText} and failureThreshold: ${wantedThreshold}`
  const endsText =
    latestKillMillis < answerMillis ? "ends it before that, again and again" : "may end it before that"
  const startupProbe = request === undefined ? {} : { ...request.handler, ...timing }
  const remark =
    `${field} of container ${JSON.stringify(container.name)} has failed ${timesText(failureThreshold)} ${formatSeconds(earliestKillMillis)} after the start ` +
    `(initialDelaySeconds: ${initialDelayMillis / 1000}, and ${failureThreshold - 1} × periodSeconds: ${periodMillis / 1000}), ` +
    `and it takes up to ${formatSeconds(answerMillis)} to answer: a kubelet ${endsText}`
  return {
    remark,
    text: `${remark}. ${changeText} (${marginFactor} times the slowest answer)`,
    fields: { startupProbe: { ...startupProbe, failureThreshold: wantedThreshold } }
  }
}

const requestOf = ({
  httpGet,
  tcpSocket,
  exec,
  grpc,
  timeoutSeconds = timeoutSecondsDefault,
  terminationGracePeriodSeconds
}: Core.Probe & { readonly grpc?: unknown } = {}) => ({
  handler: {
    ...(httpGet === undefined ? {} : { httpGet }),
    ...(tcpSocket === undefined ? {} : { tcpSocket }),
    ...(exec === undefined ? {} : { exec }),
    ...(grpc === undefined ? {} : { grpc })
  },
  timing: {
    ...(timeoutSeconds === timeoutSecondsDefault ? {} : { timeoutSeconds }),
    ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds })
  }
})

const timeoutSecondsDefault = 1

const marginFactor = 1.5
