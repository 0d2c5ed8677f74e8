import { autoscalersAmong, autoscalersWithoutTarget, scaleTargetId, whyNotScalable } from "../autoscalers.ts"
import { defaultPodSpec } from "../../kubernetes/admission/defaults/podDefaults.ts"
import { draftsAmong } from "../documentKeys.ts"
import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { nearestName } from "../../kubernetes/meta/text/nearestWord.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { podLimits } from "../../kubernetes/core/limitRanges.ts"
import { requestedAmountOf } from "../../kubernetes/autoscaling/measuredPods.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { MissingRequest } from "../../kubernetes/autoscaling/measuredPods.ts"
import type { PodSpecWithResources } from "../../kubernetes/pods/podResources.ts"
import type { Reason } from "./verdict.ts"
import type { WorkloadWithKind } from "../workloads.ts"

type Documents = ReadonlyArray<ManifestDocument>

export const autoscalerRisks = (
  { kind, object }: WorkloadWithKind,
  documents: Documents,
  document: ManifestDocument | undefined
): ReadonlyArray<Reason> => {
  const id = `${kind} ${objectKeyOf(object)}`
  const autoscalers = autoscalersAmong(documents).filter((autoscaler) => scaleTargetId(autoscaler) === id)
  if (autoscalers.length === 0) return misdirectedAutoscalers({ kind, object }, documents)
  const { replicas } = fieldsOrEmpty(fieldsOrEmpty({ ...document?.draft })["spec"])
  const podSpec = podSpecOf(object, documents)
  return autoscalers
    .flatMap((autoscaler) => {
      const { metadata, spec } = autoscaler
      const title = `HorizontalPodAutoscaler/${metadata.name}`
      const problem = whyNotScalable(autoscaler)
      if (problem !== undefined) return [`${title} never scales: ${problem}`]
      const otherNames = autoscalers
        .filter((other) => other !== autoscaler)
        .map((other) => other.metadata.name)
      const unmeasured = (spec?.metrics ?? []).flatMap((metric) => whyUtilizationUnmeasured(metric, podSpec))
      return [
        ...(typeof replicas === "number"
          ? [`each apply sets what ${title} has chosen back to replicas: ${replicas}`]
          : []),
        ...unmeasured.map((text) => `${title} never scales: ${text}`),
        ...(otherNames.length === 0
          ? []
          : [`${title} never scales: ${otherNames.join(", ")} would scale it, too`])
      ]
    })
    .map((text) => ({ rule: "autoscaler-conflict", text }))
}

type ScaledWorkload = Pick<WorkloadWithKind, "kind" | "object">

/** Autoscalers of no existing workload that were probably meant for this one, by its name. */
const misdirectedAutoscalers = (
  { kind, object }: ScaledWorkload,
  documents: Documents
): ReadonlyArray<Reason> => {
  if (kind !== "Deployment" && kind !== "StatefulSet") return []
  const { name, namespace = "default" } = object.metadata
  return autoscalersWithoutTarget(autoscalersAmong(documents), documents).flatMap(({ metadata, spec }) => {
    const target = spec?.scaleTargetRef
    if (target === undefined) return []
    const isOfNamespace = (metadata.namespace ?? "default") === namespace
    const isMeant =
      target.name === name ||
      (isOfNamespace &&
        target.kind === kind &&
        (metadata.name === name || nearestName(name, [target.name]) !== undefined))
    const place = isOfNamespace ? "" : ` in namespace ${metadata.namespace ?? "default"}`
    const text =
      `HorizontalPodAutoscaler/${metadata.name} scales ${target.kind}/${target.name}${place}, which no file creates; ` +
      `did you mean ${kind}/${name}${isOfNamespace ? "" : ` in namespace ${namespace}`}?`
    return isMeant ? [{ rule: "autoscaler-conflict" as const, text }] : []
  })
}

/** Includes the requests that the API server fills in. */
const podSpecOf = (
  { metadata, spec }: WorkloadWithKind["object"],
  documents: Documents
): PodSpecWithResources => {
  const template = spec.template.spec ?? { containers: [] }
  const limitRanges = draftsAmong(documents, resources.limitRanges).filter(
    (limitRange) => limitRange.metadata.namespace === metadata.namespace
  )
  const pod = podLimits(limitRanges).fillDefaults({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {},
    spec: defaultPodSpec(template)
  })
  return pod.spec ?? template
}

/** Utilization is a share of what Pods request. */
const whyUtilizationUnmeasured = (
  { resource, containerResource }: Autoscaling.MetricSpec,
  spec: PodSpecWithResources
): ReadonlyArray<string> => {
  const source = resource ?? containerResource
  if (source === undefined) return []
  const requested = requestedAmountOf(spec, source.name, containerResource?.container)
  if (typeof requested === "number") return []
  const isMeasured = source.target.type !== "Utilization" && requested.missing !== "container"
  return isMeasured ? [] : [missingTexts[requested.missing](requested, source.name)]
}

const missingTexts: Readonly<
  Record<MissingRequest["missing"], (missing: MissingRequest, resource: string) => string>
> = {
  podRequest: (_, resource) => `spec.resources requests no ${resource}`,
  containerRequests: ({ containers }, resource) => `container ${quoted(containers)} requests no ${resource}`,
  container: ({ containers }) => `its Pods have no container ${quoted(containers)}`
}

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(", ")
