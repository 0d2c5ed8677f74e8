import { isFields } from "./fields.ts"

/** A request to the API that changes the cluster. */
export interface ChangeRequest {
  readonly method: (typeof changeMethods)[number]
  /** With its query: `/apis/apps/v1/namespaces/default/deployments/web?fieldManager=me`. */
  readonly path: string
  readonly contentType?: string
  readonly body?: unknown
}

export const changeMethods = ["POST", "PUT", "PATCH", "DELETE"] as const

export const isChangeRequest = (value: unknown): value is ChangeRequest =>
  isFields(value) &&
  changeMethods.some((method) => method === value["method"]) &&
  typeof value["path"] === "string" &&
  value["path"].startsWith("/") &&
  ["string", "undefined"].includes(typeof value["contentType"])
