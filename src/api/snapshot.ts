import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { hashOf } from "./publishedDocument.ts"
import { refusal, requireRead } from "./statuses.ts"
import type { PublishedDocument } from "./publishedDocument.ts"

/**
 * The snapshot from which `charthouse up --snapshot` continues.
 *
 *   GET /charthouse/v1/snapshot
 */
export const snapshotPath = "/charthouse/v1/snapshot"

/** Rejects with a 409 `Refusal` when the cluster cannot be saved now. */
export const answerSnapshot = async (
  method: string,
  snapshot: Effect.Effect<string, Error>
): Promise<PublishedDocument> => {
  requireRead(method)
  const exit = await Effect.runPromiseExit(snapshot)
  if (Exit.isSuccess(exit)) {
    return { contentType: "application/json", etag: `"${hashOf(exit.value)}"`, body: exit.value }
  }
  const error = Cause.squash(exit.cause)
  throw refusal(409, "Conflict", error instanceof Error ? error.message : String(error))
}
