import { ageColumn, makeColumn, nameColumn, textOrNone, type TableColumn } from "./tableColumn.ts"
import { goTextOfSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type * as Admission from "kubernetes-types/admissionregistration/v1.js"
import type * as Flow from "kubernetes-types/flowcontrol/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/**
 * Source: pkg/printers/internalversion/printers.go (the handlers of each kind),
 * kube-aggregator/pkg/registry/apiservice/etcd/etcd.go (ConvertToTable).
 */
type Webhooks = KubeObject & Pick<Admission.ValidatingWebhookConfiguration, "webhooks">

const webhookColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Webhooks>(
    "Webhooks",
    { type: "integer", description: "The number of webhooks in the configuration." },
    ({ webhooks }) => webhooks?.length ?? 0
  ),
  ageColumn
]

interface Policy extends KubeObject {
  readonly spec: {
    readonly paramKind?: Admission.ParamKind
    readonly validations?: ReadonlyArray<unknown>
    readonly mutations?: ReadonlyArray<unknown>
  }
}

const policyColumns = (
  name: string,
  rulesOf: (spec: Policy["spec"]) => ReadonlyArray<unknown> | undefined
): ReadonlyArray<TableColumn> => [
  nameColumn,
  makeColumn<Policy>(
    name,
    { type: "integer", description: "The number of rules in the policy." },
    ({ spec }) => rulesOf(spec)?.length ?? 0
  ),
  makeColumn<Policy>("ParamKind", { description: "The kind of its parameters." }, ({ spec: { paramKind } }) =>
    paramKind === undefined ? "<unset>" : `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}`
  ),
  ageColumn
]

interface PolicyBinding extends KubeObject {
  readonly spec: { readonly policyName?: string; readonly paramRef?: Admission.ParamRef }
}

const bindingColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<PolicyBinding>(
    "PolicyName",
    { description: "The bound policy." },
    ({ spec }) => spec.policyName ?? ""
  ),
  makeColumn<PolicyBinding>("ParamRef", { description: "Its parameters." }, ({ spec: { paramRef } }) => {
    if (paramRef === undefined) return "<unset>"
    const { name = "", namespace = "", selector } = paramRef
    if (name !== "") return `${namespace === "" ? "*" : namespace}/${name}`
    return selector === undefined ? "<unset>" : goTextOfSelector(selector)
  }),
  ageColumn
]

interface ApiService extends KubeObject {
  readonly spec: { readonly service?: { readonly namespace?: string; readonly name?: string } }
  readonly status?: {
    readonly conditions?: ReadonlyArray<{
      readonly type: string
      readonly status: string
      readonly reason?: string
    }>
  }
}

const apiServiceColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<ApiService>("Service", { description: "The Service that serves the API." }, ({ spec }) =>
    spec.service === undefined ? "Local" : `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`
  ),
  makeColumn<ApiService>("Available", { description: "Whether the API is available." }, ({ status }) => {
    const condition = status?.conditions?.find(({ type }) => type === "Available")
    if (condition === undefined) return "Unknown"
    const { reason = "" } = condition
    return condition.status === "True" || reason === "" ? condition.status : `${condition.status} (${reason})`
  }),
  ageColumn
]

type FlowSchema = KubeObject & Pick<Flow.FlowSchema, "spec" | "status">

const flowSchemaColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<FlowSchema>(
    "PriorityLevel",
    { description: "The priority level of its requests." },
    ({ spec }) => spec?.priorityLevelConfiguration.name ?? ""
  ),
  makeColumn<FlowSchema>(
    "MatchingPrecedence",
    { description: "The schema with the lowest number that matches a request wins." },
    ({ spec }) => spec?.matchingPrecedence ?? 0
  ),
  makeColumn<FlowSchema>(
    "DistinguisherMethod",
    { description: "What divides its requests into flows." },
    ({ spec }) => textOrNone(spec?.distinguisherMethod?.type)
  ),
  ageColumn,
  makeColumn<FlowSchema>(
    "MissingPL",
    { description: "Whether its priority level does not exist." },
    ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?"
  )
]

type PriorityLevel = KubeObject & Pick<Flow.PriorityLevelConfiguration, "spec">

const queueColumn = (name: string, field: keyof Flow.QueuingConfiguration, description: string) =>
  makeColumn<PriorityLevel>(name, { description }, ({ spec }) => {
    const queuing = spec?.limited?.limitResponse?.queuing
    return queuing === undefined ? "<none>" : (queuing[field] ?? 0)
  })

const priorityLevelColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<PriorityLevel>(
    "Type",
    { description: "Whether its requests are limited." },
    ({ spec }) => spec?.type ?? ""
  ),
  makeColumn<PriorityLevel>(
    "NominalConcurrencyShares",
    { description: "Its share of the requests that are answered at once." },
    ({ spec }) =>
      spec?.limited === undefined ? "<none>" : (spec.limited.nominalConcurrencyShares ?? "<none>")
  ),
  queueColumn("Queues", "queues", "The number of queues."),
  queueColumn("HandSize", "handSize", "The number of queues that a flow may use."),
  queueColumn("QueueLengthLimit", "queueLengthLimit", "The most requests in a queue."),
  ageColumn
]

export const extensionColumns: Readonly<Record<string, ReadonlyArray<TableColumn>>> = {
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhookColumns,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhookColumns,
  "validatingadmissionpolicies.admissionregistration.k8s.io": policyColumns(
    "Validations",
    ({ validations }) => validations
  ),
  "mutatingadmissionpolicies.admissionregistration.k8s.io": policyColumns(
    "Mutations",
    ({ mutations }) => mutations
  ),
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": bindingColumns,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": bindingColumns,
  "apiservices.apiregistration.k8s.io": apiServiceColumns,
  "flowschemas.flowcontrol.apiserver.k8s.io": flowSchemaColumns,
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": priorityLevelColumns
}
