// Standard streams that the caller has closed.

import Glibc

extension StandardStream {
    /// Takes the numbers of the streams that are closed, before a file gets one of them: a message would be written
    /// into it, and the file may be the tables of a store. Called before anything is opened.
    ///
    /// What takes a number is open in the wrong direction: reading and writing fail there as on a closed stream.
    static func takeNumbersOfClosed() {
        // In rising order: what is opened gets the lowest number that is free.
        for stream in [StandardStream.input, .output, .error] where stream.isClosed {
            let direction = stream == .input ? O_WRONLY : O_RDONLY
            // SAFETY: the path is passed as a NUL-terminated copy.
            guard unsafe open("/dev/null", direction) == stream.rawValue else {
                exit(ExitStatus.inputOutput.rawValue)
            }
        }
    }

    private var isClosed: Bool { fcntl(rawValue, F_GETFD) < 0 && errno == EBADF }
}
