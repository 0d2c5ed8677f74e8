export type JsonObject = Readonly<Record<string, unknown>>

const query = (name: string, type: "string" | "integer" | "boolean", description: string): JsonObject => ({
  name,
  in: "query",
  description,
  schema: { type, uniqueItems: true }
})

const inPath = (name: string, description: string): JsonObject => ({
  name,
  in: "path",
  description,
  required: true,
  schema: { type: "string", uniqueItems: true }
})

/**
 * All parameters by name.
 *
 * Source of the names: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go (ListOptions, DeleteOptions,
 * CreateOptions, UpdateOptions, PatchOptions) and staging/src/k8s.io/api/core/v1/types.go (PodLogOptions).
 */
const parameters: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  [
    inPath("name", "The name of the object."),
    inPath("namespace", "The namespace of the object."),
    query("pretty", "string", "With 'true' the answer is indented for people."),
    query("allowWatchBookmarks", "boolean", "A watch then also sends BOOKMARK events from time to time."),
    query("container", "string", "Whose log; may be left out where a pod has one container."),
    query("continue", "string", "Goes on with a list where an earlier answer of it ended."),
    query("dryRun", "string", "With 'All' everything is checked and answered, and nothing is stored."),
    query("fieldManager", "string", "Who owns the fields that this request sets."),
    query("fieldSelector", "string", "Only objects whose fields have these values."),
    query("fieldValidation", "string", "What unknown and doubled fields are: 'Ignore', 'Warn' or 'Strict'."),
    query("follow", "boolean", "Keeps sending what is written to the log."),
    query("force", "boolean", "Takes fields over that others own. Only for server-side apply."),
    query("gracePeriodSeconds", "integer", "How long the object has to end; 0 is at once."),
    query("labelSelector", "string", "Only objects whose labels match."),
    query("limit", "integer", "At most so many objects; the rest can be asked for with 'continue'."),
    query("limitBytes", "integer", "At most so many bytes of the log."),
    query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
    query("previous", "boolean", "The log of the container that ran before."),
    query("propagationPolicy", "string", "What becomes of dependents: 'Orphan', 'Background', 'Foreground'."),
    query("resourceVersion", "string", "The state of the world to list, or to watch from."),
    query("resourceVersionMatch", "string", "How a list reads resourceVersion: 'Exact' or 'NotOlderThan'."),
    query("sendInitialEvents", "boolean", "A watch then begins with all objects there are."),
    query("sinceSeconds", "integer", "Only what was written so many seconds ago or later."),
    query("tailLines", "integer", "Only so many lines from the end."),
    query("timeoutSeconds", "integer", "Ends the answer after so many seconds."),
    query("timestamps", "boolean", "Puts the time before every line."),
    query("watch", "boolean", "Sends changes as they happen instead of a list.")
  ].map((parameter) => [String(parameter["name"]), parameter])
)

const listing = ["continue", "fieldSelector", "labelSelector", "limit", "resourceVersion"]
const listingMore = ["resourceVersionMatch", "sendInitialEvents", "timeoutSeconds"]
const deleting = ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"]
const writing = ["dryRun", "fieldManager", "fieldValidation"]

export const parametersByOperation = {
  list: ["pretty", "allowWatchBookmarks", ...listing, ...listingMore, "watch"],
  get: ["pretty"],
  create: ["pretty", ...writing],
  update: ["pretty", ...writing],
  patch: ["pretty", ...writing, "force"],
  delete: ["pretty", ...deleting],
  deletecollection: ["pretty", ...listing, ...listingMore, ...deleting],
  log: ["pretty", "container", "follow", "limitBytes", "previous", "sinceSeconds", "tailLines", "timestamps"]
} as const

export const openApiParameter = (name: string): JsonObject => {
  const definition = parameters[name]
  if (definition === undefined) throw new Error(`no parameter is called ${name}`)
  return definition
}

export const openApiParameterRef = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` })

export const openApiParameters = parameters
