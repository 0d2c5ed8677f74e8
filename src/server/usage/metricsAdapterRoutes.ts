import * as Effect from "effect/Effect"
import { formatQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { parseSelectorText } from "../../kubernetes/meta/selectors/labelSelectorText.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { badRequest, makeRefusal, methodNotAllowed } from "../http/statuses.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import type { ApiCall, VerbHandler } from "../requests/apiCall.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { ResourceTarget, ServedTarget } from "../http/requestTarget.ts"

const metricsAdapterGroups = ["custom.metrics.k8s.io", "external.metrics.k8s.io"]

export interface MetricsAdapterRoute {
  readonly target: ServedTarget
  readonly verb: string
  readonly handle: VerbHandler
}

/**
 * Undefined for a path outside of the adapters' groups.
 *
 * Source: metrics/pkg/apis/custom_metrics, external_metrics.
 */
export const metricsAdapterRoute = (
  method: string,
  resource: ResourceTarget,
  kinds: ReadonlyArray<Kind>
): MetricsAdapterRoute | undefined => {
  const kind = kinds.find(({ group, version }) => group === resource.group && version === resource.version)
  if (kind === undefined || !metricsAdapterGroups.includes(kind.group)) return undefined
  if (method !== "GET") throw methodNotAllowed()
  const isCustom = kind.group === "custom.metrics.k8s.io"
  return {
    target: { ...resource, kind, resource: `${resource.plural}.${resource.group}` },
    verb: "get",
    handle: (call) =>
      Effect.sync(() => (isCustom ? answerCustomMetric(call, kinds) : answerExternalMetric(call)))
  }
}

const selectorOf = (text: string | undefined): LabelSelector | undefined => {
  if (text === undefined) return undefined
  const result = parseSelectorText(text)
  if (!result.ok) throw badRequest(result.problem)
  return result.selector
}

const quantityText = (milliUnits: number): string =>
  formatQuantity({ nanos: BigInt(milliUnits) * 1_000_000n, format: "decimal" })

const answerCustomMetric = (call: ApiCall, kinds: ReadonlyArray<Kind>) => {
  const { services, query, target } = call
  const { namespace = "", name = "", plural, subresource: metric = "" } = target
  // The kind of the metrics themselves has the plural `pods`, too.
  const describedKind = kinds.find((it) => it.plural === plural && it.kind !== "MetricValueList")
  const selector = selectorOf(query.text("labelSelector"))
  const values =
    plural === "pods"
      ? [...services.view.all(resources.pods)]
          .filter(
            ({ metadata }) => metadata.namespace === namespace && (name === "*" || metadata.name === name)
          )
          .filter(({ metadata }) => selector === undefined || matchesSelector(selector, metadata.labels))
          .flatMap((pod) => {
            const value = services.meter?.podMetric(pod, metric)
            return value === undefined ? [] : [{ name: pod.metadata.name, value }]
          })
      : [
          services.meter?.objectMetric({ namespace, kind: describedKind?.kind ?? plural, name, metric })
        ].flatMap((value) => (value === undefined ? [] : [{ name, value }]))
  if (values.length === 0) {
    const what = name === "*" ? plural : `${plural} ${name}`
    throw makeRefusal(404, "NotFound", `the server could not find the metric ${metric} for ${what}`)
  }
  return listAnswer(
    "MetricValueList",
    target,
    values.map((item) => ({
      describedObject: { kind: describedKind?.kind ?? plural, namespace, name: item.name, apiVersion: "/v1" },
      metric: { name: metric, selector: null },
      timestamp: timestampOf(services.nowMillis()),
      value: quantityText(item.value)
    }))
  )
}

const answerExternalMetric = ({ services, query, target }: ApiCall) => {
  const { namespace = "", plural: metric } = target
  const selector = selectorOf(query.text("labelSelector"))
  const values = services.meter?.externalMetric({ namespace, metric, selector }) ?? []
  return listAnswer(
    "ExternalMetricValueList",
    target,
    values.map(({ labels, value }) => ({
      metricName: metric,
      metricLabels: labels,
      timestamp: timestampOf(services.nowMillis()),
      value: quantityText(value)
    }))
  )
}

const listAnswer = (kind: string, { group, version }: ResourceTarget, items: ReadonlyArray<object>) => {
  const list = { kind, apiVersion: `${group}/${version}`, metadata: {}, items }
  return toObjectAnswer(list as unknown as KubeObject)
}
