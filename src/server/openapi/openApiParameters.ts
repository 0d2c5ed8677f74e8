export type JsonObject = Readonly<Record<string, unknown>>

const queryParameter = (
  name: string,
  type: "string" | "integer" | "boolean",
  description: string
): JsonObject => ({
  name,
  in: "query",
  description,
  schema: { type, uniqueItems: true }
})

const pathParameter = (name: string, description: string): JsonObject => ({
  name,
  in: "path",
  description,
  required: true,
  schema: { type: "string", uniqueItems: true }
})

/**
 * Source: apimachinery/pkg/apis/meta/v1/types.go (ListOptions, DeleteOptions, CreateOptions,
 * UpdateOptions, PatchOptions) and api/core/v1/types.go (PodLogOptions).
 */
export const openApiParameters: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  [
    pathParameter("name", "The name of the object."),
    pathParameter("namespace", "The namespace of the object."),
    queryParameter("pretty", "string", "With 'true' the answer is indented for people."),
    queryParameter(
      "allowWatchBookmarks",
      "boolean",
      "A watch then also sends BOOKMARK events from time to time."
    ),
    queryParameter(
      "container",
      "string",
      "The container whose log to read; optional if the Pod has only one."
    ),
    queryParameter("continue", "string", "Continues a list after the last page: the token from that page."),
    queryParameter(
      "dryRun",
      "string",
      "With 'All' everything is checked and answered, and nothing is stored."
    ),
    queryParameter(
      "fieldManager",
      "string",
      "The name of the manager that owns the fields that this request sets."
    ),
    queryParameter("fieldSelector", "string", "Only objects whose fields have these values."),
    queryParameter(
      "fieldValidation",
      "string",
      "How unknown and duplicate fields are treated: 'Ignore', 'Warn' or 'Strict'."
    ),
    queryParameter("follow", "boolean", "Keeps sending what is written to the log."),
    queryParameter(
      "force",
      "boolean",
      "Takes over fields that other managers own. Only for server-side apply."
    ),
    queryParameter("gracePeriodSeconds", "integer", "How long the object has to end; 0 is at once."),
    queryParameter("labelSelector", "string", "Only objects whose labels match."),
    queryParameter("limit", "integer", "At most so many objects; the rest can be asked for with 'continue'."),
    queryParameter("limitBytes", "integer", "At most so many bytes of the log."),
    queryParameter("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
    queryParameter("previous", "boolean", "The log of the container that ran before."),
    queryParameter(
      "propagationPolicy",
      "string",
      "How dependents are deleted: 'Orphan', 'Background' or 'Foreground'."
    ),
    queryParameter("resourceVersion", "string", "The version at which to list, or from which to watch."),
    queryParameter(
      "resourceVersionMatch",
      "string",
      "How a list reads resourceVersion: 'Exact' or 'NotOlderThan'."
    ),
    queryParameter("sendInitialEvents", "boolean", "A watch then begins with all objects there are."),
    queryParameter("sinceSeconds", "integer", "Only what was written so many seconds ago or later."),
    queryParameter("tailLines", "integer", "Only so many lines from the end."),
    queryParameter("timeoutSeconds", "integer", "Ends the answer after so many seconds."),
    queryParameter("timestamps", "boolean", "Puts the time before every line."),
    queryParameter("watch", "boolean", "Sends changes as they happen instead of a list.")
  ].map((parameter) => [String(parameter["name"]), parameter])
)

const listParameters = [
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds"
]
const deleteParameters = ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"]
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"]

export const parametersByOperation = {
  list: ["pretty", "allowWatchBookmarks", ...listParameters, "watch"],
  get: ["pretty"],
  create: ["pretty", ...writeParameters],
  update: ["pretty", ...writeParameters],
  patch: ["pretty", ...writeParameters, "force"],
  delete: ["pretty", ...deleteParameters],
  deletecollection: ["pretty", ...listParameters, ...deleteParameters],
  log: ["pretty", "container", "follow", "limitBytes", "previous", "sinceSeconds", "tailLines", "timestamps"]
} as const

export const openApiParameter = (name: string): JsonObject => {
  const definition = openApiParameters[name]
  if (definition === undefined) throw new Error(`no parameter is called ${name}`)
  return definition
}

export const openApiParameterRef = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` })
