"""Apple's verifier for tests that verify thousands of signatures under one chain."""

from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier


class RememberingVerifier(SignedDataVerifier):
    """Apple's verifier, which remembers what it found good, as it does by itself when it checks online.

    A chain that was good at two instants is good between them; beyond them Apple's code looks again. Everything else,
    the signature of each payload above all, is left to it every time.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._chain_verifier.verify_chain = Memory(self._chain_verifier.verify_chain)


class Memory:
    def __init__(self, verify):
        self.verify = verify
        self.known = {}

    def __call__(self, certificates, online, date):
        chain = (online, *certificates)
        key, first, last = self.known.get(chain, (None, date + 1, date - 1))
        if not first <= date <= last:
            key = self.verify(certificates, online, date)
            self.known[chain] = key, min(first, date), max(last, date)
        return key
