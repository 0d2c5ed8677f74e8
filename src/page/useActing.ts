import { sentenceOf } from "./source/connection.ts"
import { useWorld } from "./world.ts"

/** Says what came of something that was asked for, in the server's words where it said no; `done` is called else. */
export const useActing = (): ((asked: Promise<string>, done?: () => void) => void) => {
  const { said } = useWorld()
  return (asked, done) => {
    asked.then(
      (text) => {
        said.set({ text, refused: false })
        done?.()
      },
      (error: unknown) => said.set({ text: sentenceOf(error), refused: true })
    )
  }
}
