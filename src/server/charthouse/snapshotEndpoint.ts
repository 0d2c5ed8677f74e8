import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { sha256Of } from "../http/apiDocument.ts"
import { makeRefusal, requireReadMethod } from "../http/statuses.ts"
import type { ApiDocument } from "../http/apiDocument.ts"

/** `charthouse up --snapshot` continues from a snapshot. */
export const snapshotPath = "/charthouse/v1/snapshot"

/** Rejects with a 409 `Refusal` when the cluster cannot be saved now. */
export const handleSnapshot = async (
  method: string,
  snapshot: Effect.Effect<string, Error>
): Promise<ApiDocument> => {
  requireReadMethod(method)
  const exit = await Effect.runPromiseExit(snapshot)
  if (Exit.isSuccess(exit)) {
    return { contentType: "application/json", etag: `"${sha256Of(exit.value)}"`, body: exit.value }
  }
  const error = Cause.squash(exit.cause)
  throw makeRefusal(409, "Conflict", errorText(error))
}
