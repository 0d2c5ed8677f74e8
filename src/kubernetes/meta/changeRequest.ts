import { isFields } from "./fields.ts"

/** An API request that writes, as forecasts propose and play it. */
export interface ChangeRequest {
  readonly method: (typeof changeMethods)[number]
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
